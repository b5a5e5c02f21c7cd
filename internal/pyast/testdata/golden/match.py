match x:
    case 1: pass
    case -1 | 2.5: pass
    case "a" "b": pass
    case None | True: pass
    case a.b.c: pass
    case [a, 1, *rest]: pass
    case (a, b): pass
    case a, *_: pass
    case {"k": v, 1: -2, **kw} if v > 1: pass
    case Point(0, x=1, y=[z]) as p: pass
    case mod.Point(): pass
    case -1+2j: pass
    case (x): pass
    case (1 | 2) as n: pass
    case _ as y: pass
    case x if x: pass
    case _: pass
match x, y:
    case _: pass
match x,:
    case [_]: pass
match (a):
    case b'x': pass
