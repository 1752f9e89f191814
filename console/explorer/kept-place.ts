const KEPT = 'palisade explorer';

/** Keeps the place over a sign-in, which comes back to the bare page. */
export const keepPlace = (): void => sessionStorage.setItem(KEPT, location.hash);

/** Goes back to the place that was kept, unless the address names one. */
export function restorePlace(): void {
  const kept = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  if (kept && location.hash === '') history.replaceState(null, '', kept);
}
