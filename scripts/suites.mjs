/**
 * Every test suite, in the order they run: the vitest project, its budget in wall seconds on two cores, and what it
 * needs from the machine (names of setup.mjs). Over budget is a failure: time is a limit like any other.
 */
export const SUITES = [
  { name: 'tidy', budgetSeconds: 60, needs: [] },
  { name: 'unit', budgetSeconds: 240, needs: [] },
  { name: 'e2e', budgetSeconds: 420, needs: [] },
  { name: 'browser', budgetSeconds: 300, needs: ['chromium'] },
];
