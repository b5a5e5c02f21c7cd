# leading
def f(): pass
def f(a, b=1, *args, c, d=2, **kw): "doc"; return a
def f(a: int, b: str = "x", /, *, c: float = 1.0) -> Optional[int]: ...
def f(*args: int, **kw: str): ...
def f(self, x: torch.Tensor | None = None) -> "list[int]": ...
async def f(): return await g()
@a
@b.c(1)
def f(): pass  # noqa: E704
@dataclass(frozen=True)
class A(B, metaclass=M, *C, **D):
    """doc"""
    x: int = 0
    @property
    def y(self): return self.x  # gatebot: allow[GB101] reason
class A: pass
class A(): pass
def f[T, U: int, *Ts, **P](x: T) -> U: ...
class A[T](B[T]): ...
type X = int
type X[T] = list[T]
type(x).attr = 3
type(x)
type = 1
print(type, match, case, exec)
match = case = 1
match(x)
