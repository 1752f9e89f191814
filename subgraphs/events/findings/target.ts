/** The finding that an entry of the audit log is about (`finding:<engine>/<id>`), or null. */
export function findingOfTarget(target: string | undefined): { engine: string; finding_id: string } | null {
  const match = /^finding:([a-z-]+)\/([0-9a-f]+)$/.exec(target ?? '');
  return match && { engine: match[1]!, finding_id: match[2]! };
}
