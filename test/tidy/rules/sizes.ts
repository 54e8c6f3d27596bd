import { Visitor } from 'oxc-parser';
import { type CodeFile, lineAt, type Violation } from '../project.ts';

const FILE_LINES_MAX = 400;
const FUNCTION_LINES_MAX = 60;

/** A file is one noun, and fits in a sitting. Applies to all code. */
export function fileSize({ path, text }: CodeFile): Violation[] {
  const lines = text.replace(/\n$/, '').split('\n').length;
  return lines > FILE_LINES_MAX
    ? [`${path}:${lines}: ${lines} lines, the limit is ${FILE_LINES_MAX}; split it by noun`]
    : [];
}

/** A function fits on a screen. Tests are lists of cases, so their callbacks are free. */
export function functionSize(file: CodeFile): Violation[] {
  if (/^(?:test|bench|examples|src\/testkit)\//.test(file.path)) return [];
  const found: Violation[] = [];
  const check = ({ start, end }: { start: number; end: number }): void => {
    const first = lineAt(file.text, start);
    const lines = lineAt(file.text, end) - first + 1;
    if (lines > FUNCTION_LINES_MAX) {
      found.push(
        `${file.path}:${first}: a function of ${lines} lines, the limit is ${FUNCTION_LINES_MAX}; name its parts`,
      );
    }
  };
  new Visitor({
    FunctionDeclaration: check,
    FunctionExpression: check,
    ArrowFunctionExpression: check,
  }).visit(file.program);
  return found;
}
