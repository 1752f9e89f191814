/** A package that Prisma Cloud Compute (Twistlock) names in a vulnerability. */
export interface ComputePackages {
  /** The packages that are installed. */
  readonly names: readonly string[];
  /** The source package that they are built of, where the text names it. */
  readonly source: string | undefined;
}

const MOST = 50;

/**
 * The packages that a text of Prisma Cloud Compute names: one, several with commas between, or those that a source package is used in, such as
 * `glibc (used in libc6, libc-bin)`. Java's have a low line between group and artifact, where all others have a colon.
 * @param type the kind of package, as the product calls it
 */
export function computePackages(text: string, type: string | undefined): ComputePackages {
  const [, source, used] = /^(\S+) \(used in ([^()]+)\)$/.exec(text.trim()) ?? [];
  const names = (used ?? text).split(/[,;]\s*/).flatMap((name) => name.trim() || []);
  const isJava = /^(?:jar|java|maven|war)$/i.test(type ?? '');
  return {
    names: names.slice(0, MOST).map((name) => (isJava ? name.replace(/^([\w-]+(?:\.[\w-]+)+?)_(?=[^_.])/, '$1:') : name)),
    source,
  };
}
