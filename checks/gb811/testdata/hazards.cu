void op(at::Tensor x, cudaStream_t stream, size_t n) {
  static float* ws = [&] {
    float* p;
    cudaMalloc(&p, n);  // want "on the first call"
    return p;
  }();
  std::call_once(flag, [&] { cudaMallocHost(&pinned, n); });  // want "on the first call"
  if (!buffer_) {
    cudaMalloc(&buffer_, n);  // want "on the first call"
  }
  cudaDeviceProp prop;
  cudaGetDeviceProperties(&prop, 0);  // want "in every call"
  cuModuleLoadData(&mod, image);      // want "loads or compiles"
  cublasLtHandle_t h;
  cublasLtCreate(&h);                 // possible "library handle"
}
