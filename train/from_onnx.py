"""The weights of an exported student (before optimise.mjs), for training it on: python3 from_onnx.py model.onnx student.pt"""
import re, sys
import onnx, torch
from onnx import numpy_helper
g = onnx.load(sys.argv[1]).graph; t = {i.name: numpy_helper.to_array(i) for i in g.initializer}; sd = {}
for k, v in t.items():
    if k.startswith('m.') and '_quantized' not in k and 'weight_scale' not in k and 'zero_point' not in k: sd[k[2:]] = torch.tensor(v)
for n in g.node:
    if n.op_type == 'MatMulIntegerToFloat':
        sd[re.sub(r'/(Gemm_)?MatMul.*', '', n.name).strip('/').replace('/', '.')[2:] + '.weight'] = torch.tensor((t[n.input[1]].astype('float32') * t[n.input[3]]).T.copy())
sd['bert.embeddings.word_embeddings.weight'] = torch.tensor(t['words'].astype('float32') * t['words_step'])
print(len(sd), 'tensors')
torch.save({k: v.half() for k, v in sd.items()}, sys.argv[2])
