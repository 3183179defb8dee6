// Four contracts of the native registry and their providers, as an import writes them.
contract.registry @native {
  contract.attention @fp32_exact_max_kv_chunks_1024 {
    status = "observed",
    q_compute = "fp32",
    k_compute = "fp32",
    score_accumulator = "fp32",
    softmax_statistics = "fp32",
    value_compute = "fp32",
    value_accumulator = "fp32",
    partial_storage = "fp32",
    partial_merge = "fp32_chunk_order",
    partition = {kind = "absolute_position_chunks", chunk_extent = 1024 : i64},
    semantics = {
      operations = ["attention"],
      nan = "canonical_7fc00000",
      zero_sign = "ieee",
      output_rows = "all",
      threading = {
        work_partition = "independent_heads",
        split_strategy = "independent_outputs",
        deterministic = true,
        thread_count_changes_arithmetic_order = false
      },
      head_sharing = "contiguous_groups",
      range = {rule = "causal", row_position = "position_plus_row", outside = "skipped"},
      score = {
        update = "fma",
        factors = ["q", "k"],
        initial = "positive_zero",
        empty = "positive_zero",
        lanes = {count = 1 : i64, assignment = "index_mod_lanes"},
        horizontal_tree = []
      },
      scale_application = "one_multiply_after_dot",
      softmax = {
        maximum = "exact",
        maximum_initial = "negative_infinity",
        maximum_nan = "never_selected",
        maximum_missing = "positive_zero",
        argument = "score_minus_maximum",
        exponential = "exp_e0"
      },
      denominator = {
        update = "add",
        factors = ["p"],
        initial = "positive_zero",
        empty = "positive_zero",
        lanes = {count = 16 : i64, assignment = "index_mod_lanes"},
        horizontal_tree = [8 : i64, 4 : i64, 2 : i64, 1 : i64]
      },
      value = {
        update = "fma",
        factors = ["p", "v"],
        initial = "positive_zero",
        empty = "positive_zero",
        lanes = {count = 1 : i64, assignment = "index_mod_lanes"},
        horizontal_tree = []
      },
      chunk_merge = "ascending_from_positive_zero",
      normalization = "reciprocal_then_multiply",
      empty_row = "positive_zero"
    },
    description = "Softmax attention with the exact maximum of a row. Sums are made per chunk of 1024 absolute positions and merged in ascending order, so prefill and decode give the same bits for any number of threads."
  }
  contract.execution @kv_append_fp32_copy {
    operator_family = "kv_append",
    status = "observed",
    storage = {input = "fp32", weight = "none", output = "fp32"},
    compute = {
      input = "fp32",
      weight = "none",
      accumulator = "fp32",
      contraction = "disabled",
      evaluation_order = "copy"
    },
    rounding = {mode = "none", points = []},
    reduction = {kind = "none", order = "none", partial_accumulator = "none", merge_order = "none"},
    threading = {
      work_partition = "independent_heads",
      split_strategy = "independent_outputs",
      deterministic = true,
      thread_count_changes_arithmetic_order = false
    },
    position_transform,
    semantics = {
      operations = ["kv_append"],
      nan = "preserved",
      zero_sign = "preserved",
      output_rows = "all",
      copy = "append_at_position"
    },
    description = "Keys and values of row r are stored at position + r of the caches, bit for bit."
  }
  contract.execution @linear_fp32_ascending_k_fma {
    operator_family = "gemm",
    status = "observed",
    storage = {input = "fp32", weight = "fp32", output = "fp32"},
    compute = {
      input = "fp32",
      weight = "fp32",
      accumulator = "fp32",
      contraction = "enabled",
      evaluation_order = "ascending_k_single_chain_fma"
    },
    rounding = {mode = "rne", points = ["reduction_update", "output_store"]},
    reduction = {kind = "dot_product", order = "ascending_k", partial_accumulator = "none", merge_order = "none"},
    threading = {
      work_partition = "independent_columns",
      split_strategy = "independent_outputs",
      deterministic = true,
      thread_count_changes_arithmetic_order = false
    },
    position_transform,
    semantics = {
      operations = ["linear"],
      nan = "canonical_7fc00000",
      zero_sign = "ieee",
      output_rows = "all",
      reduction = {
        update = "fma",
        factors = ["x", "w"],
        initial = "positive_zero",
        empty = "positive_zero",
        lanes = {count = 1 : i64, assignment = "index_mod_lanes"},
        horizontal_tree = []
      }
    },
    description = "Every output is one chain of fused multiply-adds over ascending k that starts at +0, for any number of rows."
  }
  contract.execution @residual_add_fp32 {
    operator_family = "residual_add",
    status = "observed",
    storage = {input = "fp32", weight = "none", output = "fp32"},
    compute = {
      input = "fp32",
      weight = "none",
      accumulator = "fp32",
      contraction = "disabled",
      evaluation_order = "single_addition"
    },
    rounding = {mode = "rne", points = ["output_store"]},
    reduction = {kind = "none", order = "none", partial_accumulator = "none", merge_order = "none"},
    threading = {
      work_partition = "independent_rows",
      split_strategy = "independent_outputs",
      deterministic = true,
      thread_count_changes_arithmetic_order = false
    },
    position_transform,
    semantics = {
      operations = ["residual_add"],
      nan = "canonical_7fc00000",
      zero_sign = "ieee",
      output_rows = "all",
      elementwise = "a_plus_b"
    },
    description = "The elementwise sum of two activations, one rounding each."
  }
  contract.provider @cke_attention_fp32 {
    contract_schema_version = 1 : i64,
    id = "cke_attention_fp32",
    op = "attention",
    phases = ["prefill", "decode"],
    status = "candidate",
    quant = {activation = "fp32", kv_cache = "fp32", output = "fp32"},
    inputs = [{name = "q", dtype = "fp32", shape = ["rows", "width"], layout = "row_major"}],
    weights = [],
    states = [
      {name = "k_cache", dtype = "fp32", shape = ["kv_heads", "capacity", "head_dim"], layout = "k_blocks_t16"},
      {name = "v_cache", dtype = "fp32", shape = ["kv_heads", "capacity", "head_dim"], layout = "head_major"}
    ],
    outputs = [{name = "y", dtype = "fp32", shape = ["rows", "width"], layout = "row_major"}],
    scratch = [
      {
        name = "scores",
        dtype = "fp32",
        shape = ["max_threads", "padded_capacity"],
        layout = "row_major",
        size_bytes = "max_threads * round_up(capacity, 16) * 4"
      }
    ],
    dims = ["heads", "kv_heads", "head_dim", "capacity"],
    params = [{name = "scale", dtype = "fp32"}],
    numerical_capabilities = [
      {
        contract_id = "fp32_exact_max_kv_chunks_1024",
        status = "observed",
        phases = ["prefill", "decode"],
        function = "cke_attention_fp32",
        explicit_selector = true,
        implementation = {
          isa_dispatch = "compile_time",
          threading = {
            runtime = "spmd",
            work_partition = ["independent_heads", "independent_rows"],
            dispatch = ["thread_index"],
            schedule = "static_partition",
            reduction_order_effect = "none"
          }
        },
        arithmetic = {
          partial_accumulator = "fp32",
          merge_order = "ascending_chunk",
          deterministic = true,
          thread_count_changes_arithmetic_order = false,
          split_strategy = "independent_outputs"
        }
      }
    ],
    provides = {
      execution.phase = ["prefill", "decode"],
      tensor.q.dtype = ["fp32"],
      tensor.kv.dtype = ["fp32"],
      tensor.layout = ["token_major"],
      numerics.attention_reduction = ["fp32_exact_max_kv_chunks_1024"]
    },
    call_abi = {
      version = 1 : i64,
      params = [
        {name = "q", source = "activation:q"},
        {name = "k_cache", source = "state:k_cache"},
        {name = "v_cache", source = "state:v_cache"},
        {name = "scores", source = "scratch:scores"},
        {name = "y", source = "output:y"},
        {name = "rows", source = "runtime:rows"},
        {name = "position", source = "runtime:position"}
      ]
    },
    impl = {function = "cke_attention_fp32", generator = "attention"}
  }
  contract.provider @cke_kv_append_fp32 {
    contract_schema_version = 1 : i64,
    id = "cke_kv_append_fp32",
    op = "kv_append",
    phases = ["prefill", "decode"],
    status = "candidate",
    quant = {activation = "fp32", kv_cache = "fp32"},
    inputs = [
      {name = "k", dtype = "fp32", shape = ["rows", "kv_width"], layout = "row_major"},
      {name = "v", dtype = "fp32", shape = ["rows", "kv_width"], layout = "row_major"}
    ],
    weights = [],
    states = [
      {name = "k_cache", dtype = "fp32", shape = ["kv_heads", "capacity", "head_dim"], layout = "k_blocks_t16"},
      {name = "v_cache", dtype = "fp32", shape = ["kv_heads", "capacity", "head_dim"], layout = "head_major"}
    ],
    outputs = [],
    scratch = [],
    dims = ["kv_heads", "head_dim", "capacity"],
    params = [],
    numerical_capabilities = [
      {
        contract_id = "kv_append_fp32_copy",
        status = "observed",
        phases = ["prefill", "decode"],
        function = "cke_kv_append_fp32",
        explicit_selector = true,
        implementation = {
          isa_dispatch = "compile_time",
          threading = {
            runtime = "spmd",
            work_partition = ["independent_heads"],
            dispatch = ["thread_index"],
            schedule = "static_partition",
            reduction_order_effect = "none"
          }
        },
        arithmetic = {
          partial_accumulator = "none",
          merge_order = "none",
          deterministic = true,
          thread_count_changes_arithmetic_order = false,
          split_strategy = "independent_outputs"
        }
      }
    ],
    provides = {execution.phase = ["prefill", "decode"], tensor.kv.dtype = ["fp32"], tensor.layout = ["token_major"]},
    call_abi = {
      version = 1 : i64,
      params = [
        {name = "k", source = "activation:k"},
        {name = "v", source = "activation:v"},
        {name = "k_cache", source = "state:k_cache"},
        {name = "v_cache", source = "state:v_cache"},
        {name = "rows", source = "runtime:rows"},
        {name = "position", source = "runtime:position"}
      ]
    },
    impl = {function = "cke_kv_append_fp32", generator = "kv_append"}
  }
  contract.provider @cke_linear_fp32 {
    contract_schema_version = 1 : i64,
    id = "cke_linear_fp32",
    op = "linear",
    phases = ["prefill", "decode"],
    status = "candidate",
    quant = {weight = "f32|f16|q8_0|q4_1", activation = "fp32", output = "fp32"},
    inputs = [{name = "x", dtype = "fp32", shape = ["rows", "k"], layout = "row_major"}],
    weights = [
      {
        name = "w",
        dtype = "fp32",
        shape = ["n", "k"],
        layout = "panels_n32",
        storage = ["f32", "f16", "q8_0", "q4_1"],
        preparation = "expand_fp32_panels_n32"
      }
    ],
    states = [],
    outputs = [{name = "y", dtype = "fp32", shape = ["rows", "n"], layout = "row_major"}],
    scratch = [],
    dims = ["k", "n"],
    params = [],
    numerical_capabilities = [
      {
        contract_id = "linear_fp32_ascending_k_fma",
        status = "observed",
        phases = ["prefill", "decode"],
        function = "cke_linear_fp32",
        explicit_selector = true,
        implementation = {
          isa_dispatch = "compile_time",
          threading = {
            runtime = "spmd",
            work_partition = ["independent_columns", "independent_rows"],
            dispatch = ["thread_index"],
            schedule = "static_partition",
            reduction_order_effect = "none"
          }
        },
        arithmetic = {
          partial_accumulator = "none",
          merge_order = "none",
          deterministic = true,
          thread_count_changes_arithmetic_order = false,
          split_strategy = "independent_outputs"
        }
      }
    ],
    provides = {
      execution.phase = ["prefill", "decode"],
      tensor.activation.dtype = ["fp32"],
      tensor.activation.layout = ["token_major"]
    },
    call_abi = {
      version = 1 : i64,
      params = [
        {name = "x", source = "activation:x"},
        {name = "w", source = "weight:w"},
        {name = "y", source = "output:y"},
        {name = "rows", source = "runtime:rows"}
      ]
    },
    impl = {function = "cke_linear_fp32", generator = "linear"}
  }
  contract.provider @cke_residual_add_fp32 {
    contract_schema_version = 1 : i64,
    id = "cke_residual_add_fp32",
    op = "residual_add",
    phases = ["prefill", "decode"],
    status = "candidate",
    quant = {activation = "fp32", output = "fp32"},
    inputs = [
      {name = "a", dtype = "fp32", shape = ["rows", "dim"], layout = "row_major"},
      {name = "b", dtype = "fp32", shape = ["rows", "dim"], layout = "row_major"}
    ],
    weights = [],
    states = [],
    outputs = [{name = "y", dtype = "fp32", shape = ["rows", "dim"], layout = "row_major", alias_of = "a"}],
    scratch = [],
    dims = ["dim"],
    params = [],
    numerical_capabilities = [
      {
        contract_id = "residual_add_fp32",
        status = "observed",
        phases = ["prefill", "decode"],
        function = "cke_residual_add_fp32",
        explicit_selector = true,
        implementation = {
          isa_dispatch = "compile_time",
          threading = {
            runtime = "spmd",
            work_partition = ["independent_rows"],
            dispatch = ["thread_index"],
            schedule = "static_partition",
            reduction_order_effect = "none"
          }
        },
        arithmetic = {
          partial_accumulator = "none",
          merge_order = "none",
          deterministic = true,
          thread_count_changes_arithmetic_order = false,
          split_strategy = "independent_outputs"
        }
      }
    ],
    provides = {
      execution.phase = ["prefill", "decode"],
      tensor.activation.dtype = ["fp32"],
      tensor.activation.layout = ["token_major"]
    },
    call_abi = {
      version = 1 : i64,
      params = [
        {name = "a", source = "activation:a"},
        {name = "b", source = "activation:b"},
        {name = "y", source = "output:y"},
        {name = "rows", source = "runtime:rows"}
      ]
    },
    impl = {function = "cke_residual_add_fp32", generator = "residual_add"}
  }
}
