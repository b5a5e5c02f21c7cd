//go:build !linux

package gate

// largePages does nothing where the kernel is not asked for large pages.
func largePages(int) {}
