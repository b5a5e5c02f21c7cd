void op(at::Tensor x, at::Tensor lens, int64_t max_seq_len, int64_t width, cudaStream_t stream) {
  int rows = lens.sum().item<int>();
  auto out = at::empty({rows, width}, x.options());          // want "size of the buffer follows"
  int blocks = (rows + 127) / 128;
  scale<<<blocks, 128, 0, stream>>>(x.data_ptr<float>());    // want "launch follows"
  scale<<<4, 128, 0, stream>>>(x.data_ptr<float>(), rows);   // want "argument of the launch"
  dim3 grid(std::max(1, blocks), 4);
  scale<<<grid, 128, 0, stream>>>(x.data_ptr<float>());      // want "launch follows"
  int parts = DIVIDE_ROUND_UP(max_seq_len, 512);
  dim3 g2(parts, 2);
  scale<<<g2, 128, 0, stream>>>(x.data_ptr<float>());        // possible "grid follows"
}
