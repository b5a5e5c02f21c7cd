// Package ops measures what single operations of torch make the host do: whether torch's sync-debug mode reports them,
// which calls the probe sees, and whether a CUDA graph can hold them. Its table is the one that checks/torchop is held to,
// so that anybody can make it again for another release of torch.
package ops
