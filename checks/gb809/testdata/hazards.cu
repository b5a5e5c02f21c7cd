void op(at::Tensor x, cudaStream_t stream, cudaEvent_t done) {
  while (cudaStreamQuery(stream) == cudaErrorNotReady) {}            // want "asks a stream"
  if (cudaEventQuery(done) == cudaSuccess) poll();                   // possible "asks an event"
  cudaStreamAttachMemAsync(stream, x.data_ptr());                    // want "cannot be part"
  cudaBindTexture(0, tex, x.data_ptr(), 4);                          // want "cannot be part"
  cudaStreamAddCallback(stream, cb, nullptr, 0);                     // possible "may not be captured"
  cudaLaunchCooperativeKernelMultiDevice(params, 2, 0);              // want "cannot be part"
}
