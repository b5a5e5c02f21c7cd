void op(at::Tensor x, cudaStream_t stream, int n) {
  std::vector<int> offsets(n);
  cudaMemcpyAsync(x.data_ptr(), offsets.data(), 4 * n, cudaMemcpyHostToDevice, stream);  // want "copies from memory of this call"
  int total;
  cudaMemcpyAsync(&total, x.data_ptr(), 4, cudaMemcpyDeviceToHost, stream);  // want "copies to memory of this call"
  int table[8];
  cudaMemcpyAsync(x.data_ptr(), table, sizeof(table), cudaMemcpyHostToDevice, stream);  // want "copies from"
  Params params{1, 2};
  CUDA_CHECK(cudaMemcpyAsync(d_params, &params, sizeof(params), cudaMemcpyHostToDevice, stream));  // want "copies from"
  auto t = torch::from_blob(offsets.data(), {n}, torch::kInt).to(x.device());  // want "copies memory of this call"
  auto u = torch::tensor({1, 2, 3}, x.options());  // want "copies numbers from the host"
  auto v = at::tensor(offsets, torch::dtype(torch::kInt).device(torch::kCUDA));  // want "copies numbers"
}
