// A contract that branches on an extent says in the program which part is in effect where. The extent is that of the valid
// rows, raw or rounded up to 256 as the contract says: 255 and 256 are one range in both readings, 257 and 511 are one
// range raw and cut when rounded, 512, 513, 1047, 1058 and 1609 are cut in both. The capacity of the cache has no part.
// RUN: cke-opt %s --resolve-contracts -o %t.resolved && FileCheck %s < %t.resolved
// RUN: cke-opt %t.resolved --verify-contracts -o %t.again && diff %t.resolved %t.again
// RUN: sed 's/from = 257 : i64/from = 512 : i64/' %t.resolved > %t.edited
// RUN: not cke-opt %t.edited --verify-contracts 2>&1 | FileCheck %s --check-prefix=EDITED

contract.registry @registry {
  contract.attention @online_merge_rounded_extent
      unspecified ["address_stride", "empty_row", "extent_padding", "horizontal_tree", "lanes", "nan", "operations",
                   "output_rows", "range", "scale", "threading", "zero_sign"] {
    status = "observed", q_compute = "fp16_rounded", k_compute = "fp16", score_accumulator = "fp32",
    softmax_statistics = "fp32", value_compute = "fp16", value_accumulator = "fp16_rounded_each_update",
    partial_storage = "fp16", partial_merge = "fp32_chunk_order",
    partition = {kind = "kv_chunks_by_workers", threshold = 512 : i64, extent_source = "valid_kv_rounded",
                 extent_alignment = 256 : i64, below_threshold_chunks = 1 : i64,
                 at_or_above_threshold_chunks = "runtime_worker_count"}, description = "Valid rows rounded up to 256 decide."
  }
  contract.attention @online_merge_raw_extent
      unspecified ["address_stride", "empty_row", "extent_padding", "horizontal_tree", "lanes", "nan", "operations",
                   "output_rows", "range", "scale", "threading", "zero_sign"] {
    status = "observed", q_compute = "fp16_rounded", k_compute = "fp16", score_accumulator = "fp32",
    softmax_statistics = "fp32", value_compute = "fp16", value_accumulator = "fp16_rounded_each_update",
    partial_storage = "fp16", partial_merge = "fp32_chunk_order",
    partition = {kind = "kv_chunks_by_workers", threshold = 512 : i64, extent_source = "valid_kv",
                 extent_alignment = 1 : i64, below_threshold_chunks = 1 : i64,
                 at_or_above_threshold_chunks = "runtime_worker_count"}, description = "Raw valid rows decide."
  }
  contract.attention @online_short_queries
      unspecified ["address_stride", "empty_row", "extent_padding", "horizontal_tree", "lanes", "nan", "operations",
                   "output_rows", "range", "scale", "threading", "zero_sign"] {
    status = "observed", q_compute = "fp16_rounded", k_compute = "fp16_rounded", score_accumulator = "fp32",
    softmax_statistics = "fp32", value_compute = "fp16_rounded", value_accumulator = "fp16_rounded_each_update",
    partial_storage = "none", partial_merge = "none",
    partition = {kind = "single_range"}, description = "A part."
  }
  contract.attention @tiled_long_queries
      unspecified ["address_stride", "empty_row", "extent_padding", "horizontal_tree", "lanes", "nan", "operations",
                   "output_rows", "range", "scale", "threading", "zero_sign"] {
    status = "observed", q_compute = "fp16_rounded", k_compute = "fp16_rounded", score_accumulator = "fp32",
    softmax_statistics = "fp32", value_compute = "fp16_rounded", value_accumulator = "fp32",
    partial_storage = "fp32", partial_merge = "fp32_chunk_order",
    partition = {kind = "query_key_tiles", query_tile_size = 64 : i64, key_tile_size = 64 : i64,
                 softmax_sum_update = "fp64_add_then_fp32_store", worker_partition = "contiguous_head_query_rows"}, description = "The other part."
  }
  contract.attention @auto_query_tiles
      unspecified ["address_stride", "empty_row", "extent_padding", "horizontal_tree", "lanes", "nan", "operations",
                   "output_rows", "range", "scale", "threading", "zero_sign"] {
    status = "observed", q_compute = "shape_dependent_fp16_or_fp32", k_compute = "fp16", score_accumulator = "fp32",
    softmax_statistics = "fp32", value_compute = "fp16", value_accumulator = "shape_dependent_fp16_or_fp32",
    partial_storage = "shape_dependent_none_or_fp32", partial_merge = "shape_dependent_single_range_or_fp32_chunk_order",
    partition = {kind = "query_tile_threshold", threshold = 64 : i64, below_threshold = "online_short_queries",
                 at_or_above_threshold = "tiled_long_queries"}, description = "The rows of a call decide."
  }
  contract.provider @linked_attention {
    contract_schema_version = 1 : i64, id = "linked_attention", op = "attention", phases = ["prefill", "decode"],
    status = "candidate",
    inputs = [{name = "q", dtype = "fp32", shape = ["rows", "width"], layout = "row_major"}],
    weights = [],
    states = [
      {name = "k_cache", dtype = "fp32", shape = ["kv_heads", "capacity", "head_dim"], layout = "head_major"},
      {name = "v_cache", dtype = "fp32", shape = ["kv_heads", "capacity", "head_dim"], layout = "head_major"}
    ],
    outputs = [{name = "y", dtype = "fp32", shape = ["rows", "width"], layout = "row_major"}],
    scratch = [], dims = ["heads", "kv_heads", "head_dim", "capacity"], params = [{name = "scale", dtype = "fp32"}],
    numerical_capabilities = [
      {contract_id = "online_merge_rounded_extent", status = "observed", phases = ["prefill", "decode"], function = "linked_attention",
       explicit_selector = true,
       implementation = {isa_dispatch = "runtime",
                         threading = {runtime = "ck_threadpool", work_partition = ["kv_chunks_by_workers"],
                                      dispatch = ["ck_threadpool_dispatch_n"],
                                      reduction_order_effect = "contract_defined"}},
       arithmetic = {partial_accumulator = "fp16", merge_order = "ascending_chunk", deterministic = true,
                     thread_count_changes_arithmetic_order = true, split_strategy = "split_kv"}},
      {contract_id = "online_merge_raw_extent", status = "observed", phases = ["prefill", "decode"], function = "linked_attention",
       explicit_selector = true,
       implementation = {isa_dispatch = "runtime",
                         threading = {runtime = "ck_threadpool", work_partition = ["kv_chunks_by_workers"],
                                      dispatch = ["ck_threadpool_dispatch_n"],
                                      reduction_order_effect = "contract_defined"}},
       arithmetic = {partial_accumulator = "fp16", merge_order = "ascending_chunk", deterministic = true,
                     thread_count_changes_arithmetic_order = true, split_strategy = "split_kv"}},
      {contract_id = "auto_query_tiles", status = "observed", phases = ["prefill", "decode"], function = "linked_attention",
       explicit_selector = true,
       implementation = {isa_dispatch = "runtime",
                         threading = {runtime = "ck_threadpool", work_partition = ["kv_chunks_by_workers"],
                                      dispatch = ["ck_threadpool_dispatch_n"],
                                      reduction_order_effect = "contract_defined"}},
       arithmetic = {partial_accumulator = "fp16", merge_order = "ascending_chunk", deterministic = true,
                     thread_count_changes_arithmetic_order = true, split_strategy = "split_kv"}}
    ],
    provides = {},
    call_abi = {version = 1 : i64,
                params = [{name = "q", source = "activation:q"}, {name = "k_cache", source = "state:k_cache"},
                          {name = "v_cache", source = "state:v_cache"}, {name = "y", source = "output:y"},
                          {name = "rows", source = "runtime:rows"}, {name = "position", source = "runtime:position"}]},
    impl = {function = "linked_attention"}
  }
}
graph.state @k_small : tensor<1x512x16xf32>
graph.state @v_small : tensor<1x512x16xf32>
graph.state @k_large : tensor<1x4096x16xf32>
graph.state @v_large : tensor<1x4096x16xf32>
func.func @prefill(%x: tensor<?x32xf32> {graph.io = "x"}, %position: index {graph.io = "position"})
    -> (tensor<?x32xf32> {graph.io = "y0"}, tensor<?x32xf32> {graph.io = "y1"}, tensor<?x32xf32> {graph.io = "y2"}, tensor<?x32xf32> {graph.io = "y3"}) attributes {graph.phase = "prefill"} {
  %rounded = graph.attention %x at %position, @k_small, @v_small heads 2 scale 0.25 instance "prefill/rounded"
      requires {contract = @registry::@online_merge_rounded_extent, operation = "tiny.rounded", phase = "prefill", validation = "observed"}
      : (tensor<?x32xf32>, index) -> tensor<?x32xf32>
  %rounded_large = graph.attention %x at %position, @k_large, @v_large heads 2 scale 0.25 instance "prefill/rounded_large"
      requires {contract = @registry::@online_merge_rounded_extent, operation = "tiny.rounded_large", phase = "prefill", validation = "observed"}
      : (tensor<?x32xf32>, index) -> tensor<?x32xf32>
  %raw = graph.attention %x at %position, @k_small, @v_small heads 2 scale 0.25 instance "prefill/raw"
      requires {contract = @registry::@online_merge_raw_extent, operation = "tiny.raw", phase = "prefill", validation = "observed"}
      : (tensor<?x32xf32>, index) -> tensor<?x32xf32>
  %composite = graph.attention %x at %position, @k_small, @v_small heads 2 scale 0.25 instance "prefill/composite"
      requires {contract = @registry::@auto_query_tiles, operation = "tiny.composite", phase = "prefill", validation = "observed"}
      : (tensor<?x32xf32>, index) -> tensor<?x32xf32>
  return %rounded, %rounded_large, %raw, %composite : tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>
}

// CHECK: instance "prefill/rounded"
// CHECK-SAME: effective_contract = [{axis = "kv_rows", chunks = "1", contract = "online_merge_rounded_extent", from = 1 : i64, to = 257 : i64}, {axis = "kv_rows", chunks = "workers", contract = "online_merge_rounded_extent", from = 257 : i64}]
// CHECK: instance "prefill/rounded_large"
// CHECK-SAME: effective_contract = [{axis = "kv_rows", chunks = "1", contract = "online_merge_rounded_extent", from = 1 : i64, to = 257 : i64}, {axis = "kv_rows", chunks = "workers", contract = "online_merge_rounded_extent", from = 257 : i64}]
// CHECK: instance "prefill/raw"
// CHECK-SAME: effective_contract = [{axis = "kv_rows", chunks = "1", contract = "online_merge_raw_extent", from = 1 : i64, to = 512 : i64}, {axis = "kv_rows", chunks = "workers", contract = "online_merge_raw_extent", from = 512 : i64}]
// CHECK: instance "prefill/composite"
// CHECK-SAME: effective_contract = [{axis = "query_rows", chunks = "1", contract = "online_short_queries", from = 1 : i64, to = 64 : i64}, {axis = "query_rows", chunks = "every 64", contract = "tiled_long_queries", from = 64 : i64}]

// EDITED: error: 'prefill/rounded': other contracts are in effect than 'online_merge_rounded_extent' has [CKE-C005]
// EDITED: note: the operation has [{"axis":"kv_rows"
// EDITED: note: the registry says [{"axis":"kv_rows"
