void op(at::Tensor x, at::Tensor lens_cpu, int64_t num_tokens, int64_t width, cudaStream_t stream) {
  int rows = x.size(0);
  auto out = at::empty({rows, width}, x.options());
  scale<<<rows, 128, 0, stream>>>(x.data_ptr<float>(), rows);
  dim3 grid(num_tokens, 4);
  scale<<<grid, 128, 0, stream>>>(x.data_ptr<float>(), num_tokens);
}

// The length of a dimension: one graph for each shape.
void launch_bias_add(float* x, int batch, int seq_len, cudaStream_t stream) { add<<<batch * seq_len, 128, 0, stream>>>(x); }
