void op(at::Tensor x, cudaStream_t stream) {
  static const cudaDeviceProp prop = [] {
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    return p;
  }();
  int sms;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  auto* props = at::cuda::getCurrentDeviceProperties();
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
}
int sms() {
  static int n = 0;
  if (n == 0) {
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    n = p.multiProcessorCount;
  }
  return n;
}
int sms2() {
  static std::atomic<int> n{0};
  int cached = n.load(std::memory_order_relaxed);
  if (cached == 0) {
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    n.store(p.multiProcessorCount);
  }
  return cached;
}
void op3(at::Tensor x) { grid = sms2(); }
void op2(at::Tensor x) { grid = sms(); }
void init_module() { cuModuleLoadData(&mod, image); }
