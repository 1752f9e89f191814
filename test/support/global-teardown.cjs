// Ends what global-setup started, the server before its store.
const { once } = require('node:events');

module.exports = async () => {
  for (const child of (globalThis.__PALISADE_CHILDREN__ ?? []).reverse()) {
    child.removeAllListeners('exit');
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
};
