import { expect, test } from 'vitest'
import { withoutToolOutput } from './tool-output.ts'

const said = (text: string) => withoutToolOutput(text.split('\n')).filter((line) => line.trim() !== '')

const PYTEST = `============================= test session starts ==============================
platform linux -- Python 3.11.7, pytest-9.0.3, pluggy-1.6.0
collected 2 items

test_a.py FF                                                             [100%]

=================================== FAILURES ===================================
____________________________________ test_x ____________________________________

    def test_x():
>       assert add(1,2) == 4
E       assert 3 == 4
E        +  where 3 = add(1, 2)

test_a.py:5: AssertionError
=========================== short test summary info ============================
FAILED test_a.py::test_x - assert 3 == 4
============================== 1 failed in 3.02s ===============================`
const CARGO = `   Compiling x v0.1.0 (/srv/x)
error[E0382]: borrow of moved value: \`v\`
 --> src/main.rs:2:49
  |
2 | fn main(){let v=vec![1];let w=v;println!("{:?}",v);}
  |               -             -                   ^ value borrowed here after move
  |
  = note: this error originates in the macro
help: consider cloning the value if the performance cost is acceptable
  |
2 | fn main(){let v=vec![1];let w=v.clone();println!("{:?}",v);}
  |                              ++++++++

For more information about this error, try \`rustc --explain E0382\`.`
const RUST_TEST = `running 1 test
test adds ... FAILED

failures:

---- adds stdout ----
thread 'adds' (21) panicked at src/main.rs:3:13:
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace

test result: FAILED. 0 passed; 1 failed; 0 ignored; finished in 0.00s`
const JAVAC = `N.java:1: error: incompatible types: String cannot be converted to int
public class N { int x = "a"; }
                         ^
1 error`
const NODE_TEST = `✖ adds (1.91553ms)
ℹ tests 1
ℹ fail 1

✖ failing tests:

test at n.test.mjs:2:1
✖ adds (1.91553ms)
  AssertionError [ERR_ASSERTION]: 3 == 4
      at TestContext.<anonymous> (file:///srv/n.test.mjs:2:29) {
    generatedMessage: true,
    code: 'ERR_ASSERTION',
    actual: 3,
    expected: 4,
    operator: '==',
  }`
const GRADLE = `> Task :app:test FAILED

CalcTest > adds FAILED
    org.opentest4j.AssertionFailedError at CalcTest.java:9

2 tests completed, 1 failed

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':app:test'.
> There were failing tests. See the report at: file:///app/build/reports/tests/test/index.html

* Try:
> Run with --scan to get full insights.

BUILD FAILED in 3s`
const GO =
  '--- FAIL: TestAdd (0.00s)\n    add_test.go:12: got 3, want 4\nFAIL\nexit status 1\nFAIL\texample.com/add\t0.003s'
const RSPEC = `Failures:

  1) Calc adds
     Failure/Error: expect(1 + 2).to eq(4)

       expected: 4
            got: 3

     # ./spec/calc_spec.rb:3:in \`block (2 levels) in <top (required)>'

Finished in 0.01 seconds (files took 0.05 seconds to load)
1 example, 1 failure`
const TRACEBACK = 'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    f()\nValueError: x'
const TSC =
  "\u001b[96mbad.ts\u001b[0m:\u001b[93m1\u001b[0m:\u001b[93m7\u001b[0m - \u001b[91merror\u001b[0m\u001b[90m TS2322: \u001b[0mType 'number' is not assignable."
const ALL = {
  PYTEST,
  CARGO,
  RUST_TEST,
  JAVAC,
  NODE_TEST,
  GRADLE,
  GO,
  RSPEC,
  TRACEBACK,
  TSC,
  NPM: 'npm ERR! code ELIFECYCLE',
}

test.each(Object.entries(ALL))('%s: alone says nothing', (_, output) => {
  expect(said(output)).toEqual([])
})

test.each(Object.entries(ALL))('%s beside words of a reviewer: the words stay', (_, output) => {
  const before = 'The retry has no limit, as this shows:'
  const after = 'Please add a test for the third attempt too.'
  const lines = said(`${before}\n${output}\n\n${after}`)
  expect([lines[0], lines.at(-1)]).toEqual([before, after])
  expect(lines.length).toBeLessThan(4)
})

test('the items of a list, each with what was printed', () => {
  const lines = said(`1. The sum is wrong\n${GO}\n2. The name of the test says nothing\n${TRACEBACK}`)
  expect(lines).toEqual(['1. The sum is wrong', 'ValueError: x', '2. The name of the test says nothing'])
})

test.each([
  'Expected values are in cents.',
  'Note: the fixture is wrong',
  '✗ The retry has no limit\n✓ The names are good',
  'Run the tests on arm64\n\nThey fail at line 3: the clock is off',
  'src/retry.ts:9 has no limit',
])('a note without output stays: %s', (note) => {
  expect(said(note)).toEqual(note.split('\n').filter((line) => line !== ''))
})
