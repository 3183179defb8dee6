// Extents that no address reaches are refused with CKE-L003, at the buffer that is one too many.
// RUN: cke-opt %s --plan-memory --split-input-file --verify-diagnostics

// More than 2^64 bytes.
contract.registry @native {
}
lowered.plan @plan max_rows 64 capacity 1 max_threads 1
// expected-error @+1 {{takes more bytes than an address can reach [CKE-L003]}}
lowered.global @large kind "state" layout "row_major" : memref<4611686018427387904x2xf32>

// -----

// More than 2^64 elements.
contract.registry @native {
}
lowered.plan @plan max_rows 64 capacity 1 max_threads 1
// expected-error @+1 {{takes more bytes than an address can reach [CKE-L003]}}
lowered.global @larger kind "state" layout "row_major" : memref<4611686018427387904x4611686018427387904xf32>

// -----

// By the rows of a call.
contract.registry @native {
}
lowered.plan @plan max_rows 2147483647 capacity 1 max_threads 1
// expected-error @+1 {{takes more bytes than an address can reach [CKE-L003]}}
lowered.global @rows kind "io" layout "row_major" : memref<?x4611686018427387904xf32>

// -----

// 2^62 bytes each: the third would begin at 2^63.
contract.registry @native {
}
lowered.plan @plan max_rows 64 capacity 1 max_threads 1
lowered.global @first kind "state" layout "row_major" : memref<1152921504606846976xf32>
lowered.global @second kind "state" layout "row_major" : memref<1152921504606846976xf32>
// expected-error @+1 {{lies beyond 2^63 [CKE-L003]}}
lowered.global @third kind "state" layout "row_major" : memref<1152921504606846976xf32>

// -----

// Each has a place, but the block is too large as a whole.
contract.registry @native {
}
// expected-error @+1 {{takes more bytes than an address can reach [CKE-L003]}}
lowered.plan @plan max_rows 64 capacity 1 max_threads 1
lowered.global @first kind "state" layout "row_major" : memref<1152921504606846976xf32>
lowered.global @second kind "state" layout "row_major" : memref<1152921504606846976xf32>

// -----

// Nothing is planned without a plan.
lowered.global @unplanned kind "state" layout "row_major" : memref<32xf32>
