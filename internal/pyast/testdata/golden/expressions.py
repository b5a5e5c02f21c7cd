name; a.b.c; None; True; False; ...
1; 1_000; 0xFF; 0b1; 1.5; 1e9; 2j; 1.5J; 0x1F
f(); f(a, *b, c=1, **d); f(x for x in y); f(a,)
a[1]; a[1, 2]; a[(1, 2)]; a[1,]; a[:]; a[1:]; a[:2]; a[::3]; a[1:2, ..., ::3]; a[*b]; a[*b.c, d]
a + b * c; a @ b; a ** -b; -a; ~a; +a; a << 1 >> 2; a // b % c; x ^ 1 & 1; x & 1 ^ 1; a & b ^ c & d; (x ^ 1) & 1; x & (1 ^ y)
a < b <= c; a not in b; a is not b; a in b; a == b != c; not a; not a in b
a and b or c; a or b and not c; a and b and c
a if b else c if d else e
lambda: 0; lambda x, *y, z=1, **k: x; lambda *, a: a; lambda a, /, b: a
(); (a,); (a, b); a, b; a,; [a, *b]; []; {a, b}; {}; {a: b, **c}
[x for x in y if a if b for z in w]; {x for x in y}; {k: v for k, v in y}; (x async for x in y)
[y for x in z if (y := f(x))]; (n := 10)
await x; (yield); (yield x); (yield from x); (yield x, y)
((((a)))); (a).b; (a)(b)
f(*a.b, *c()); [*a.b(), *c[0]]; print(*x.y(), z)
x = lambda: (yield)
