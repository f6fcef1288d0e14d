"""Makes an int8 model answer about a pair the same whatever else is in its batch.

`quantize_dynamic` scales the activations of a whole batch alike, so that a pair's answer depends on its neighbours and on the padding: of
635 pairs up to 3 % came out differently when asked alone. This replaces each such scale by one a row (a token), which no other
row can change, and which is nearer to fp32. Needs no packages.

usage: python3 per_row.py model.int7.onnx relate.onnx
"""
import struct, sys


# Just enough of protobuf to rewrite the nodes of an ONNX graph and leave everything else as it is.
def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]; at += 1
        value |= (byte & 127) << shift; shift += 7
        if byte < 128: return value, at


def encode(value):
    out = bytearray()
    while True:
        byte = value & 127; value >>= 7
        out.append(byte | 128 if value else byte)
        if not value: return bytes(out)


def fields(data):
    """Number, value and raw bytes of each field."""
    at = 0
    while at < len(data):
        start = at
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0: value, at = varint(data, at)
        elif kind == 2:
            size, at = varint(data, at)
            value = data[at:at + size]; at += size
        else:
            size = 4 if kind == 5 else 8
            value = data[at:at + size]; at += size
        yield tag >> 3, value, data[start:at]


def block(field, data): return encode(field << 3 | 2) + encode(len(data)) + data
def number(field, value): return encode(field << 3) + encode(value & (2 ** 64 - 1))


def node(op, inputs, outputs, name, attributes=(), domain=''):
    body = b''.join(block(1, each.encode()) for each in inputs) + b''.join(block(2, each.encode()) for each in outputs)
    body += block(3, name.encode()) + block(4, op.encode()) + b''.join(block(5, each) for each in attributes)
    return block(1, body + (block(7, domain.encode()) if domain else b''))


def scalar(name, data_type, raw): return block(5, number(2, data_type) + block(8, name.encode()) + block(9, raw))


def read_node(data):
    found = {'in': [], 'out': [], 'name': '', 'op': ''}
    for field, value, _ in fields(data):
        if field == 1: found['in'].append(value.decode())
        elif field == 2: found['out'].append(value.decode())
        elif field == 3: found['name'] = value.decode()
        elif field == 4: found['op'] = value.decode()
    return found


LAST_AXIS = block(1, b'axes') + number(8, -1) + number(20, 7)
KEEP = block(1, b'keepdims') + number(3, 1) + number(20, 2)


def quantize_rows(one):
    """x / (largest of its row / 127) + 128, as uint8. What comes out of GELU is never below -0.17, so its largest will do."""
    (x,), (quantized, scale, _), name = one['in'], one['out'], one['name']
    gelu = 'intermediate_act_fn' in x
    size = x if gelu else name + '_abs'
    return ([] if gelu else [node('Abs', [x], [size], size)]) + [
        node('ReduceMax', [size], [name + '_max'], name + '_max', [LAST_AXIS, KEEP]),
        node('Mul', [name + '_max', 'row_step'], [name + '_step'], name + '_step'),
        node('Max', [name + '_step', 'row_gelu' if gelu else 'row_least'], [scale], name + '_scale'),
        node('Reciprocal', [scale], [name + '_inverse'], name + '_inverse'),
        node('Mul', [x, name + '_inverse'], [name + '_scaled'], name + '_scaled'),
        node('QuantizeLinear', [name + '_scaled', 'row_one', 'row_zero'], [quantized], name),
    ]


def main(source, target):
    model = open(source, 'rb').read()
    parts = list(fields(model))
    graph = list(fields(next(value for field, value, _ in parts if field == 7)))
    nodes = [read_node(value) if field == 1 else None for field, value, _ in graph]
    products = {one['out'][0]: one for one in nodes if one and one['op'] == 'MatMulInteger'}
    casts = {one['out'][0]: products[one['in'][0]] for one in nodes if one and one['op'] == 'Cast' and one['in'][0] in products}
    scales = {one['out'][0]: one['in'] for one in nodes if one and one['op'] == 'Mul' and one['out'][0].endswith('_quant_scales_mul:0')}
    out = []
    for (field, _, raw), one in zip(graph, nodes):
        if one is None: out.append(raw)
        elif one['op'] == 'DynamicQuantizeLinear': out += quantize_rows(one)
        elif one['out'][0] in products or one['out'][0] in scales or one['out'][0] in casts: pass
        elif one['op'] == 'Mul' and any(each in scales for each in one['in']):
            # The rows' scale is multiplied afterwards and by itself: in one product with the weights' scale, the runtime's fusion would
            # take the first row's for all.
            rows, weights = scales[next(each for each in one['in'] if each in scales)]
            product = casts[next(each for each in one['in'] if each in casts)]
            x, matrix, _, zero = product['in']
            whole = one['name'] + '_whole'
            out.append(node('MatMulIntegerToFloat', [x, matrix, 'row_one', weights, 'row_zero', zero], [whole], whole, domain='com.microsoft'))
            out.append(node('Mul', [whole, rows], one['out'], one['name']))
        else: out.append(raw)
    out += [scalar('row_step', 1, struct.pack('<f', 1 / 127)), scalar('row_least', 1, struct.pack('<f', 1e-8)),
            scalar('row_gelu', 1, struct.pack('<f', .17 / 127)), scalar('row_one', 1, struct.pack('<f', 1)), scalar('row_zero', 2, bytes([128]))]
    rewritten = b''.join(out)
    with open(target, 'wb') as file:
        for field, _, raw in parts: file.write(block(7, rewritten) if field == 7 else raw)
        file.write(block(8, block(1, b'com.microsoft') + number(2, 1)))
    print(f'{len(products)} products, scaled by row')


main(*sys.argv[1:])
