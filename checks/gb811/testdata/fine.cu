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
void init_module() { cuModuleLoadData(&mod, image); }
