package fixlog

// beside runs f beside what the caller does next, and gives the function that waits for it. That has to be called, also
// when nobody wants the answer any more: f uses what its caller closes.
func beside[T any](f func() (T, error)) (wait func() (T, error)) {
	var out T
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		out, err = f()
	}()
	return func() (T, error) {
		<-done
		return out, err
	}
}
