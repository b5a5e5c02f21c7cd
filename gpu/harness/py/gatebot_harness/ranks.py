"""The ranks of a step that a launcher starts several times. They meet through files after every step and every capture,
and tell each other how it went: a rank that goes on alone would wait on the device, for ever, for one that gave up."""
import contextlib
import ctypes
import json
import os
import signal
import socket
import threading
import time

from . import fault
from .watch import brief

# Where launchers say who a process is, the nearest first: torchrun, Open MPI, MVAPICH, MPICH and its kin, Slurm. The
# native probe goes by the same list where no harness is (gpu/probe/native/out.c).
NAMES = (("RANK", "WORLD_SIZE", "LOCAL_RANK"),
         ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"),
         ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_RANK"),
         ("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"),
         ("SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"))
PATIENCE = 6.0  # seconds that a rank may go on after another one gave up, before it is taken to wait for it


def identify(launched):
    """(rank, world, local rank). A process that no launcher of ours started is alone, whatever its environment says."""
    r, w, local = read() if launched else (0, 1, 0)
    os.environ["GATEBOT_RANK"], os.environ["GATEBOT_WORLD"] = str(r), str(w if launched else 0)  # the probe reads these first
    if launched:
        # What the step module's init_process_group reads, whoever launched it.
        os.environ.update(RANK=str(r), WORLD_SIZE=str(w), LOCAL_RANK=str(local))
    else:
        for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "TORCHELASTIC_RUN_ID"):
            os.environ.pop(name, None)
    return r, w, local


def read():
    for names in NAMES:
        if names[0] in os.environ and names[1] in os.environ:
            try:
                r, w = (int(os.environ[n]) for n in names[:2])
                local = int(os.environ.get(names[2], r))
            except ValueError as e:
                raise fault.Fault("bad_config", f"step.launch: {' and '.join(names)} are no numbers: {e}",
                                  "see what the launcher sets", source="harness") from e
            if not 0 <= r < w:
                raise fault.Fault("bad_config", f"step.launch: {names[0]} is {r} and {names[1]} is {w}", "see what the launcher sets",
                                  source="harness")
            return r, w, local
    raise fault.Fault("bad_config", "step.launch: the launcher sets no rank in the environment",
                      "use torchrun, mpirun or srun", source="harness")


class Ranks:
    """One rank among several; alone, everything here does nothing."""

    def __init__(self, trace, folder, rank, world):
        self.trace, self.folder, self.rank, self.world, self.n = trace, folder, rank, world, 0
        self.at, self.meeting, self.end = "the start", False, lambda: None
        if world > 1:
            # Launchers end the others when one dies. This rank wants to say first why it cannot go on.
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: never outlive the launcher
            self.put(f"pid.{rank}", os.getpid())
            threading.Thread(target=self.look_out, daemon=True).start()

    def address(self):
        """An address to meet at for init_process_group, where the launcher gave none: mpirun and srun do not."""
        if self.world == 1 or "MASTER_ADDR" in os.environ and "MASTER_PORT" in os.environ:
            return
        if self.rank == 0:
            with socket.socket() as s:
                s.bind(("127.0.0.1", 0))
                self.put("port", s.getsockname()[1])
        while (port := self.get("port")) is None and not self.gone(0):
            time.sleep(0.01)
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port or self.get("port")))

    def put(self, name, value):
        path = os.path.join(self.folder, name)
        with open(path + ".new", "w", encoding="utf-8") as f:
            json.dump(value, f)
        os.rename(path + ".new", path)

    def get(self, name):
        try:
            with open(os.path.join(self.folder, name), encoding="utf-8") as f:
                return json.load(f)
        except FileNotFoundError:
            return None

    def others(self):
        return [r for r in range(self.world) if r != self.rank]

    def gone(self, r):
        """Whether a rank's process has ended before it was done."""
        pid = self.get(f"pid.{r}")
        if pid is None or self.get(f"done.{r}") is not None:
            return False
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
                ended = f.read().rpartition(")")[2].split()[0] in "ZX"
        except OSError:
            ended = True
        return ended and self.get(f"done.{r}") is None  # it may have said so since

    def meet(self, what, **mine):
        """Waits for the same point of every rank and gives what each brought, by rank."""
        self.at, self.meeting = what, True
        n, self.n = self.n, self.n + 1
        mine["what"] = what
        self.put(f"{n}.{self.rank}", mine)
        got, pause, since = {self.rank: mine}, 0.0002, None
        while len(got) < self.world:
            for r in self.others():
                if r not in got and (there := self.get(f"{n}.{r}")) is not None:
                    got[r] = there
                elif r not in got and self.gone(r):
                    # It may have come here, met the others and ended since it was looked for.
                    got[r] = self.get(f"{n}.{r}") or {"what": what, "failed": "its process ended", "over": True}
            if len(got) < self.world:
                # Whoever gave up waits for those that may hang for its sake, but not for ever.
                since = since or time.monotonic()
                if any(v.get("failed") for v in got.values()) and time.monotonic() - since > 2 * PATIENCE:
                    break
                time.sleep(pause)
                pause = min(pause * 1.5, 0.01)
        if n > 1:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(self.folder, f"{n - 2}.{self.rank}"))
        self.meeting = False
        return got

    def vote(self, what, value):
        """The values of all ranks, in their order: for what all of them must do alike."""
        return [value] if self.world == 1 else [v.get("value") for _, v in sorted(self.agree(what, value).items())]

    def agree(self, what, value=None):
        """Goes on only when every rank has come to the same point."""
        if self.world == 1:
            return {}
        got = self.meet(what, value=value)
        for r, v in sorted(got.items()):
            if v.get("failed"):
                raise told(fault.Fault("other_rank", f"rank {r} gave up at {v['what']}: {v['failed']}", source="user"),
                           over=v.get("over", False))
        for r, v in sorted(got.items()):
            if v["what"] != what:
                raise told(fault.Fault("ranks_differ", f"rank {self.rank} is at {what} and rank {r} at {v['what']}",
                                       "all ranks must call the same regions in the same order"), over=True)
        return got

    def leave(self, what, exc, over=False):
        """Tells the others that this rank gives up, once."""
        if self.world > 1 and not getattr(exc, "told", False):
            told(exc)
            self.meet(what, failed=str(exc)[:300] if isinstance(exc, fault.Fault) else brief(exc), over=over)

    @contextlib.contextmanager
    def together(self, what):
        """A piece of work after which the ranks meet, however it went."""
        try:
            yield
        except Exception as e:
            self.leave(what, e, over(e))
            raise
        self.agree(what)

    def done(self):
        if self.world > 1:
            self.put(f"done.{self.rank}", True)

    def look_out(self):
        """Ends this process when it waits on the device for a rank that has given up or ended."""
        since = None
        while True:
            time.sleep(0.2)
            if self.meeting or self.get(f"done.{self.rank}") is not None:
                since = None
                continue
            why = None
            for r in self.others():
                there = self.get(f"{self.n}.{r}")
                if there is not None and there.get("failed"):
                    why = f"rank {r} gave up at {there['what']}: {there['failed']}"
                elif there is None and self.gone(r):
                    why = f"the process of rank {r} ended"
            since = (since or time.monotonic()) if why else None
            if why and time.monotonic() - since > PATIENCE:
                self.trace.emit("error", source="user", code="other_rank", text=f"{why}; this rank waits for it after {self.at}")
                self.end()
                os._exit(0)


def told(exc, over=None):
    exc.told = True
    if over is not None:
        exc.over = over
    return exc


def over(exc):
    """Whether a process cannot go on after a fault, with another phase."""
    return getattr(exc, "over", False) or getattr(exc, "code", "") in ("device_fault", "oom", "bad_module", "bad_config")
