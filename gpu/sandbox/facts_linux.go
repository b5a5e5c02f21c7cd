package sandbox

import "golang.org/x/sys/unix"

// makesNamespaces tries for a user namespace, and moves this process into it when it can.
func makesNamespaces() bool { return unix.Unshare(unix.CLONE_NEWUSER) == nil }

// opensVsock tries for a socket to the host of this virtual machine.
func opensVsock() bool {
	fd, err := unix.Socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0)
	if err == nil {
		_ = unix.Close(fd)
	}
	return err == nil
}
