// One phase of one layer: a projection, an append to the caches, attention over them, a residual. Follows registry.mlir.
graph.weight @w storage "q4_1" : tensor<16x32xf32>
graph.state @k_cache : tensor<1x48x16xf32>
graph.state @v_cache : tensor<1x48x16xf32>
func.func @decode(%x: tensor<1x32xf32> {graph.io = "x"}, %position: index {graph.io = "position"})
    -> (tensor<1x32xf32> {graph.io = "y"}) attributes {graph.phase = "decode"} {
  %kv = graph.linear %x, @w instance "decode/kv"
      requires {contract = @native::@linear_fp32_ascending_k_fma, operation = "tiny.kv", phase = "decode",
                storage = {w = "q4_1"}, validation = "observed"}
      : (tensor<1x32xf32>) -> tensor<1x16xf32>
  graph.kv_append %kv, %kv at %position, @k_cache, @v_cache instance "decode/append"
      requires {contract = @native::@kv_append_fp32_copy, operation = "tiny.append", phase = "decode",
                validation = "observed"}
      : (tensor<1x16xf32>, tensor<1x16xf32>, index) -> ()
  %a = graph.attention %x at %position, @k_cache, @v_cache heads 2 scale 0.25 instance "decode/attention"
      requires {contract = @native::@fp32_exact_max_kv_chunks_1024, operation = "tiny.attention", phase = "decode",
                requires = {tensor.layout = "token_major"}, validation = "observed"}
      : (tensor<1x32xf32>, index) -> tensor<1x32xf32>
  %y = graph.residual_add %x, %a instance "decode/residual"
      requires {contract = @native::@residual_add_fp32, operation = "tiny.residual", phase = "decode",
                validation = "observed"}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  return %y : tensor<1x32xf32>
}
