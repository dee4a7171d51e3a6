// Reports tests a line each and ends with totals that scripts/test_totals.py adds up.
export default async function* totals(source) {
  const count = { passed: 0, failed: 0, skipped: 0 };
  for await (const { type, data } of source) {
    // A file is a test of its own to the runner; only what it holds is counted.
    const holder = data?.details?.type === 'suite' || /\.mjs$/.test(data?.name ?? '');
    if (type === 'test:pass' && !holder) {
      const skipped = data.skip !== undefined;
      count[skipped ? 'skipped' : 'passed'] += 1;
      yield skipped ? `skipped: ${data.name}: ${data.skip}\n` : `ok ${data.name} (${Math.round(data.details.duration_ms)} ms)\n`;
    } else if (type === 'test:fail' && (!holder || data.details?.error?.failureType !== 'subtestsFailed')) {
      count.failed += 1;
      const cause = data.details?.error?.cause ?? data.details?.error;
      yield `FAILED ${data.name}\n${cause?.stack ?? cause}\n`;
    } else if (type === 'test:stderr' || type === 'test:stdout') {
      yield data.message;
    }
  }
  yield `page: ${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`;
}
