package gb712

import (
	"strings"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/pyast"
)

// asks reports whether e contains the question whether a capture is going on.
func asks(e pyast.Expr) bool {
	found := false
	pyast.Walk(e, func(n pyast.Node) bool {
		call, ok := n.(*pyast.Call)
		if ok {
			found = found || name(call.Func) == "is_current_stream_capturing"
		}
		return !found
	})
	return found
}

// name is the last part of a called name: warn of logger.warn.
func name(e pyast.Expr) string {
	switch e := e.(type) {
	case *pyast.Attr:
		return e.Name
	case *pyast.Name:
		return e.ID
	}
	return ""
}

// computes reports whether body does more than to log, check or raise.
func computes(body []pyast.Stmt) bool {
	for _, s := range body {
		switch s := s.(type) {
		case *pyast.Assign, *pyast.AugAssign, *pyast.AnnAssign, *pyast.For, *pyast.While, *pyast.With:
			return true
		case *pyast.Return:
			if s.X != nil {
				return true
			}
		case *pyast.If:
			if computes(s.Body) || computes(s.Else) {
				return true
			}
		case *pyast.ExprStmt:
			if call, ok := s.X.(*pyast.Call); ok && !quiet(name(call.Func)) {
				return true
			}
		}
	}
	return false
}

// quiet names calls that say something and compute nothing.
func quiet(name string) bool {
	switch name {
	case "print", "debug", "info", "warn", "warning", "warning_once", "info_once", "error", "log", "append",
		"synchronize":
		return true
	}
	return strings.HasPrefix(name, "log_")
}

// swallowed sees a try around a capture whose handler goes on without it.
func swallowed(p *checks.Pass, t *pyast.Try) {
	if !captures(t.Body) {
		return
	}
	for _, h := range t.Handlers {
		if !checks.Raises(h.Body) {
			p.Report(h, nil, "a failed capture is swallowed here: the step goes on without its graph")
		}
	}
}

// captures reports whether body enters torch.cuda.graph.
func captures(body []pyast.Stmt) bool {
	found := false
	for _, s := range body {
		pyast.Walk(s, func(n pyast.Node) bool {
			if w, ok := n.(*pyast.With); ok {
				for _, item := range w.Items {
					if call, ok := item.X.(*pyast.Call); ok && dotted(call.Func) == "torch.cuda.graph" {
						found = true
					}
				}
			}
			return !found
		})
	}
	return found
}

func dotted(e pyast.Expr) string {
	switch e := e.(type) {
	case *pyast.Name:
		return e.ID
	case *pyast.Attr:
		return dotted(e.X) + "." + e.Name
	}
	return ""
}
