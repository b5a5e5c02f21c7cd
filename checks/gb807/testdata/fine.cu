void op(at::Tensor x, cudaStream_t stream, int n, const int* given) {
  int* pinned;
  cudaMallocHost(&pinned, 4 * n);
  cudaMemcpyAsync(x.data_ptr(), pinned, 4 * n, cudaMemcpyHostToDevice, stream);
  cudaMemcpyAsync(x.data_ptr(), given, 4 * n, cudaMemcpyHostToDevice, stream);
  cudaMemcpyAsync(x.data_ptr(), y.data_ptr(), n, cudaMemcpyDeviceToDevice, stream);
  static int table[8];
  cudaMemcpyAsync(x.data_ptr(), table, sizeof(table), cudaMemcpyHostToDevice, stream);
  std::vector<int> host(n);
  std::copy(given, given + n, host.data());
  float* dev = x.data_ptr<float>();
  cudaMemcpyAsync(&dev[1], &dev[0], 4, cudaMemcpyDefault, stream);
  cudaMemcpyAsync(this->buffer_, member_.data(), 4, cudaMemcpyHostToDevice, stream);
  kernel<<<1, 1, 0, stream>>>(Params{1, 2});
  auto t = torch::tensor({1, 2, 3});  // on the CPU
  auto u = torch::tensor({1, 2, 3}, torch::dtype(torch::kInt).device(torch::kCPU));
  auto v = torch::tensor(2.0, torch::kFloat);
}
