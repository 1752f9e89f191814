// Ends what global-setup started.
module.exports = () => globalThis.__PALISADE_DEPLOYMENTS__?.close();
