x = 1
x = y = z, w
a, *b = c
(a) = b
[a, b] = c
x.y[0] = 1
x: int
x: List[int] = []
x: "a | b" = 1
x += 1; x -= 1; x *= 1; x /= 1; x //= 1; x %= 1; x **= 1; x @= 1; x &= 1; x |= 1; x ^= 1; x >>= 1; x <<= 1
x = yield
x = await y
del a, b[0]
del (a, b)
del a
assert a
assert a, "b"
raise
raise A
raise A from b
global a, b
nonlocal c
import a, b.c as d
from . import x
from .. a . b import (c as d, e,)
from __future__ import annotations, division as d
from q import *
pass
return
return a
return a, b
return *a, b
