// Package gb214 is rule GB214, sparse-nested-ragged: builds a sparse or packed tensor whose size is counted on the
// host.
package gb214

import (
	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/checks/torchop"
	"github.com/gatebot/gatebot/internal/finding"
)

// Rule is GB214.
var Rule = &checks.Rule{
	ID: "GB214", Name: "sparse-nested-ragged", Group: checks.GroupShape, Severity: finding.Warn, Tier: 3, Static: true,
	Title: "builds a sparse or packed tensor whose size is counted on the host",
	Text: "How many elements a sparse tensor holds is known only after the device has counted them, and the host waits for " +
		"the count. The size follows the data, so no graph can hold it. torch's sync debug mode does not promise to " +
		"report waits of sparse operations.",
	Before: "y = x.to_sparse() @ w",
	After:  "y = torch.where(mask, x, 0.0) @ w",
	Fix:    "stay dense and mask, or keep the lengths on the host",
	Fine: []string{
		"`torch.nested.nested_tensor` of a list of tensors: measured without a wait",
		"`sparse_coo_tensor` with its size given",
		"sparse tensors that are built at load time",
	},
	Torch: "measured on an H200, torch 2.11: to_sparse one wait, to_sparse_csr two, sparse.mm one",
	Calls: torchop.Family("sparse"),
	Call: func(p *checks.Pass, c *checks.Call) {
		op, ok := torchop.Lookup(c.Name)
		if !ok || op.Sync.When == torchop.Never {
			return
		}
		if op.Sync.When == torchop.Missing {
			for _, given := range op.Sync.Unless {
				if _, ok := c.Param(given); ok || c.Has(given) {
					return
				}
			}
		}
		vs := []*checks.Value{c.Recv}
		if op.Sync.When == torchop.IfDevice {
			vs = nil
			for _, a := range c.Operands() {
				vs = append(vs, a.Value)
			}
		} else {
			for _, a := range c.Args {
				vs = append(vs, a.Value)
			}
		}
		for _, v := range vs {
			if v.DeviceTensor() {
				p.Report(c.Node, v, "{expr} counts elements on the host and waits for the stream")
				return
			}
		}
	},
}
