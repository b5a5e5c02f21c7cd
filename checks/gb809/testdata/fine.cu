void op(at::Tensor x, cudaStream_t stream, cudaTextureObject_t tex) {
  cudaLaunchHostFunc(stream, fn, nullptr);
  cudaStreamIsCapturing(stream, &status);
  cudaStreamWaitEvent(stream, ev, 0);
  sample<<<1, 1, 0, stream>>>(tex);
}
void reset_device() { cudaDeviceReset(); }
