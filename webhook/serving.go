package webhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// listen takes the addresses.
func (s *Server) listen() (err error) {
	if s.listener, err = net.Listen("tcp", s.opts.Addr); err != nil {
		return fmt.Errorf("server: %w (is another gatebot running?)", err)
	}
	if s.opts.Admin == "" {
		return nil
	}
	if s.admin, err = net.Listen("tcp", s.opts.Admin); err != nil {
		return errors.Join(fmt.Errorf("server: admin: %w", err), s.listener.Close())
	}
	return nil
}

// unlisten gives the addresses back.
func (s *Server) unlisten() error {
	err := s.listener.Close()
	if s.admin != nil {
		err = errors.Join(err, s.admin.Close())
	}
	return err
}

// handler is what the outside reaches.
func (s *Server) handler() (http.Handler, error) {
	mux := s.intake.handler()
	s.pageRoutes(mux)
	if err := s.board.Routes(mux); err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	mux.HandleFunc("GET /readyz", s.readyz)
	if s.admin == nil {
		mux.Handle("GET /metrics", localOnly(s.planner.metrics))
	}
	return mux, nil
}

// localOnly hides from everybody but this machine. A proxy on this machine forwards for others, and says so.
func localOnly(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.RemoteAddr)
		if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() || r.Header.Get("X-Forwarded-For") != "" || r.Header.Get("Forwarded") != "" {
			http.NotFound(w, r)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// serveAdmin serves the other address until the function it returns is called.
func (s *Server) serveAdmin() (stop func() error) {
	if s.admin == nil {
		return func() error { return nil }
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", s.planner.metrics)
	mux.HandleFunc("GET /healthz", s.intake.healthz)
	mux.HandleFunc("GET /readyz", s.readyz)
	h := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second, ErrorLog: s.http.ErrorLog}
	done := make(chan error, 1)
	go func() { done <- h.Serve(s.admin) }()
	return func() error {
		err := h.Close()
		if served := <-done; !errors.Is(served, http.ErrServerClosed) {
			err = errors.Join(err, served)
		}
		return err
	}
}

// AdminURL is where the other address listens, empty when there is none.
func (s *Server) AdminURL() string {
	if s.admin == nil {
		return ""
	}
	return "http://" + s.admin.Addr().String()
}

// readyz is for load balancers: the queue takes writes and this server has looked at the records once.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), storeTimeout)
	defer cancel()
	if err := s.intake.healthy(ctx); err != nil {
		http.Error(w, "gatebot: the queue cannot be reached", http.StatusServiceUnavailable)
		return
	}
	if s.stopping.Load() {
		http.Error(w, "gatebot: shutting down", http.StatusServiceUnavailable)
		return
	}
	_, _ = io.WriteString(w, "ok\n") // the asker may be gone
}
