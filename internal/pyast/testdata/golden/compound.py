if a: b
elif c: d
elif e:
    f
else: g
while a: break
else: continue
for i, j in x, y:
    pass
else:
    k
for (i) in x: pass
async def f():
    async for x in y: pass
    async with a as b, c: pass
with a: pass
with a as b, c as (d, e): pass
with (a as b, c): pass
with (a, b): pass
with (a, b) as c: pass
with (a): pass
with (open(x) as f): pass
with (open(x)) as f, (yield): pass
try: a
except: b
try: a
except A: b
except (B, C) as d: e
else: f
finally:
    g
    # trailing
try: a
except* A as e: b
try: a
except A, B: b
if a:
    x = 1
    # belongs to nobody

y
