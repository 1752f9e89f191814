interface Environment {
  teardown(): Promise<void>;
}
const Environment = require('../support/environment.cjs') as new (given: { projectConfig: object }) => Environment;

/** What a test file may leave behind: test files of one worker share its realm and the product's modules. */
describe('what a test file changes of its process', () => {
  const [fetched, home] = [globalThis.fetch, process.env['HOME']];

  it('is put back at its end', async () => {
    const file = new Environment({ projectConfig: {} });
    const listener = () => undefined;
    Object.assign(globalThis, { leaked: true, fetch: () => undefined });
    process.env['LEAKED'] = 'yes';
    process.env['HOME'] = '/elsewhere';
    process.on('SIGTERM', listener);
    process.exitCode = 3;
    await file.teardown();
    expect('leaked' in globalThis).toBe(false);
    expect(globalThis.fetch).toBe(fetched);
    expect(process.env['LEAKED']).toBeUndefined();
    expect(process.env['HOME']).toBe(home);
    expect(process.listeners('SIGTERM')).not.toContain(listener);
    expect(process.exitCode).toBeUndefined();
  });
});
