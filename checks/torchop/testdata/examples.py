"""Measure the examples of the rules on a CUDA machine: NNNb is what rule GBNNN flags, NNNa what it says to write.

usage: python examples.py > examples-h200.txt
Each line: name, blocking calls in one warmed-up call, and what capturing it alone did.
"""
import subprocess, sys, concurrent.futures as cf
PRE = """
import torch, math, numpy as np
import torch.nn.functional as F
dev='cuda'
x=torch.rand(16,16,device=dev); y0=torch.rand(16,16,device=dev); w=torch.rand(16,16,device=dev); v=torch.rand(16,device=dev)
mask=x>0.5; idx=torch.tensor([0,2,3,1],device=dev); pos=torch.tensor(2,device=dev); spd=x@x.t()+16*torch.eye(16,device=dev)
peak=torch.zeros((),device=dev); host=torch.zeros(16,16); pin=torch.zeros(16,16,pin_memory=True); ones=torch.ones(4,dtype=torch.int64,device=dev)
counts=torch.zeros(16,dtype=torch.int64,device=dev); active=torch.zeros(16,dtype=torch.bool,device=dev); lens=torch.tensor([1,2,3,4],device=dev)
positions=torch.arange(16,device=dev); buf=torch.zeros(16,device=dev); off=torch.tensor([4,8,12,16],dtype=torch.int32,device=dev); keys=torch.zeros(4,16,16,device=dev)
fin=torch.zeros(16,dtype=torch.bool,device=dev); pv=torch.zeros(1,pin_memory=True); n1=torch.zeros(1,device=dev); ev=torch.cuda.Event(); side=torch.cuda.Stream(); a3=torch.randn(16,16,device=dev,dtype=torch.bfloat16); w3=torch.randn(4,16,16,device=dev,dtype=torch.bfloat16)
pbk=torch.zeros(16,4,pin_memory=True); dk=torch.zeros(16,4,device=dev)
def f():
"""
POST = """
for _ in range(3): f()
torch.cuda.synchronize()
from torch.profiler import profile, ProfilerActivity, record_function
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as p:
    with record_function('OP'): f()
e=p.events(); s=[k for k in e if k.name=='OP'][0].time_range
print('waits',sum(1 for k in e if k.name in('cudaStreamSynchronize','cudaDeviceSynchronize','cudaEventSynchronize') and s.start<=k.time_range.start<=s.end),end=' ')
try:
    g=torch.cuda.CUDAGraph()
    with torch.cuda.graph(g): f()
    print('capture ok')
except Exception as ex: print('capture', type(ex).__name__, str(ex).splitlines()[0][:60])
"""
S = {
"101b":"return x.abs().max().item()","101a":"torch.maximum(peak, x.abs().max(), out=peak)",
"102b":"return torch.split(x, (counts+1).tolist())","103b":"return counts.cpu()","103a":"pin.copy_(x, non_blocking=True); ev.record()",
"104b":"return np.argsort(np.asarray(v.cpu()))","104a":"return torch.argsort(v)","109b":"return idx.type(torch.LongTensor)","109a":"return idx.to(torch.long)",
"110b":"return torch.equal(idx, idx+1)","110a":"return (idx != lens).any()","112b":"host.copy_(x)","112p":"pin.copy_(x)","113b":"host.copy_(x, non_blocking=True)","113a":"pin.copy_(x, non_blocking=True)",
"113gap":"pin[:, ::2].copy_(x[:, :8], non_blocking=True)","113rows":"pin[:4].copy_(x[:4], non_blocking=True)","112slice":"host[:] = x",
"115b":"return torch.inverse(spd)","115a":"return torch.linalg.inv_ex(spd).inverse","115svd":"return torch.linalg.svd(spd)","115eigh":"return torch.linalg.eigh(spd)","116b":"return torch.distributions.Categorical(logits=x).sample()","116a":"return torch.multinomial(x.softmax(-1), 1)","116n":"return torch.normal(v, 1.0)",
"201b":"return (x > 0.5).nonzero()","201a":"return torch.nonzero_static(x > 0.5, size=8)","202b":"x[x > 0.5] /= 2","202a":"return torch.where(x > 0.5, x / 2, x)","202pen":"x[mask] /= y0[mask]",
"203b":"return idx.unique()","203a":"return active.zero_().index_fill_(0, idx.view(-1), 1)","204b":"return torch.bincount(idx, minlength=16)","204a":"return counts.zero_().scatter_add_(0, idx, ones)",
"205b":"return torch.repeat_interleave(idx, lens)","205a":"return torch.repeat_interleave(idx, lens, output_size=10)","207b":"return torch.arange(lens.max(), device=dev) < lens[:, None]","207a":"return positions < lens[:, None]",
"208a":"return torch._grouped_mm(a3, w3, offs=off)","209b":"lo,hi=lens[0],lens[1]; return x[lo:hi]","209a":"return torch.where((positions[:,None] >= lens[0]) & (positions[:,None] < lens[1]), y0, x)","210b":"return x[pos]","210a":"return x.index_select(0, pos.view(1))","210list":"return [1,2,3][pos]",
"211b":"x.masked_fill_(mask, x.amin())","211a":"return torch.where(mask, x.amin(), y0)","212a":"keys.index_copy_(1, pos.view(1), x[:4].unsqueeze(1))","301b":"return torch.zeros(4, 8, device=x.device)","302a":"return torch.where(mask, x, 0.0)",
"303a":"pv.fill_(3); n1.copy_(pv, non_blocking=True)","304b":"torch.cuda.empty_cache()","401b":"return 1 if lens[0] != 0 else 0","401a":"idx.sub_(lens[0])","403a":"torch._assert_async((idx >= 0).all())","404b":"return max(lens[0], lens[1])","404a":"return torch.maximum(lens[0], lens[1])",
"408a":"fin.logical_or_(positions == 3)","501b":"return torch.tensor([3] * 4, device=dev)","501a":"return buf.fill_(3)","501empty":"return torch.tensor([], device=dev)","502b":"buf[0] = 3","502a":"buf[0:1].fill_(3)","502aug":"buf[0] += 3","503b":"buf[idx] = 0","503a":"buf.index_fill_(0, idx, 0)","503aug":"buf[idx] += 1",
"504b":"x[:, [1, 5]] = float('-inf')","504a":"x.index_fill_(1, idx, float('-inf'))","505b":"return torch.arange(16).to(x.device)","505elem":"buf[:] = torch.tensor(0.0)","505el":"buf[0] = torch.tensor(0.0)","507b":"dk.copy_(torch.zeros(1) if False else pin[:, :4], non_blocking=True)","510b":"return torch.where(mask, x, torch.tensor(0.0))","510a":"return torch.where(mask, x, 0.0)",
"605b":"ev.record(); return ev.query()","cat":"return torch.cat([x, y0])","703a":"lens.add_(1)","ip_cpu":"buf.index_put_((idx,), torch.tensor(1.0))","sparse":"return x.to_sparse()","spcoo":"return torch.sparse_coo_tensor(idx[None], v[:4], (64,))","any_builtin":"return any(mask[0])","in_list":"return v[0] in [1.0, 2.0]","map_int":"return list(map(int, idx))","unique_set":"return set(idx)","fill_list":"return [0]*lens[0]",
"where_method_cpu0":"return x.where(mask, torch.tensor(0.0))","new_tensor":"return x.new_tensor([1.0])","cudaFloat":"return torch.cuda.FloatTensor([1.0])","mask_cpu":"return x[torch.ones(16,dtype=torch.bool)]","idx_cpu0":"return x[torch.tensor(1)]","slice_cpu0":"return x[:torch.tensor(3)]","type_cuda":"return x.type(torch.cuda.LongTensor)","sorted":"return sorted([v[0], v[1]])","dict":"return v[0] in {1.0: 2}",
}
def one(k):
    code = PRE + "    " + S[k] + "\n" + POST
    p = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=200)
    return k, (p.stdout.strip() or p.stderr.strip().splitlines()[-1][:120])
with cf.ThreadPoolExecutor(10) as ex:
    for k, r in ex.map(one, S): print(f"{k:8} {r}")
