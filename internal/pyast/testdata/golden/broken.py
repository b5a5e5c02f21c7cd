x = 1
def f(:
    return a.item()
y = = 2
z = f(1, , 2)
print "python 2"
exec "code" in d
print >>f, x
class A
    def g(self): pass
w = [1, 2
