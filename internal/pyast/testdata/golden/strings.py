'a'; "a"; '''a
b'''; r'\d'; b'x'; rb'\x'; u'u'; 'it\'s'; ''
'a' 'b' "c"; b'a' b'b'; 'a' f'{b}' 'c'; ('a'
 'b')
f'x'; f'{x}'; f'{x!r}'; f'{x:>3}'; f'{x!s:{w}.{p}}'; f'{x=}'; f'{{x}}{y}'; F"{a}{b:{c}}"; rf'\d{x}'
f'{f"{x}"}'; f"{d['k']}"; f'{x.item():.3f}'; f'{a, b}'; f'{*a, b}'; f'{x:=8}'; f'{(x:=8)}'; f'{lambda_ if a else b}'
f'''{
    x
}'''
t'a{b!r}'; f(T"{x.item()}", rt'\d{y:>3}'); t'a' 'b'; t
