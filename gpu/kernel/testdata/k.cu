#include <cuda_bf16.h>
extern "C" __global__ void scale(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
extern "C" __global__ void atomics(const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(y, x[i]);
}
struct P { float a; int n; const float* x; float* y; };
extern "C" __global__ void by_value(P p) { int i = threadIdx.x; if (i < p.n && p.x == nullptr) p.a += 1; }
extern "C" __global__ void shared_big(const float* x, float* y, int n) {
  extern __shared__ float s[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = x[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = s[n - 1 - i];
}
extern "C" __global__ void semaphore(int* sem, const float* x, float* y, int n) {
  // last block adds up; the semaphore is not put back to 0
  __shared__ bool last;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * 2;
  __threadfence();
  if (threadIdx.x == 0) last = atomicAdd(sem, 1) == (int)gridDim.x - 1;
  __syncthreads();
  if (last && threadIdx.x == 0) y[n] = 1.0f;
}
