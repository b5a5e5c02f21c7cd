void op(at::Tensor x, cudaStream_t stream) {
  cudaLaunchHostFunc(stream, done, nullptr);  // want "makes the device wait for a host function"
  C10_CUDA_CHECK(cudaStreamAddCallback(stream, callback, nullptr, 0));  // want "makes the device wait"
}
