/** The directories into which build machines check a repository out, up to its root. Each starts at the beginning of the path. */
const CHECKOUTS = [
  // GitHub Actions, on Linux and macOS, on Windows, in a container
  /^\/(?:home|Users)\/runner\/work\/[^/]+\/[^/]+\//,
  /^[A-Za-z]:\/a\/[^/]+\/[^/]+\//,
  /^\/(?:github|__w\/[^/]+)\/(?:workspace|[^/]+)\//,
  // GitLab, Azure Pipelines, Jenkins, Bitbucket, CodeBuild
  /^\/builds\/(?:[^/]+\/){2}/,
  /^(?:\/home\/vsts|[A-Za-z]:\/a)\/work\/\d+\/s\//,
  /^\/var\/(?:jenkins_home|lib\/jenkins)\/workspace\/[^/]+\//,
  /^\/opt\/atlassian\/pipelines\/agent\/build\//,
  /^\/codebuild\/output\/src\d+\/src\//,
  // where images of scanners expect it
  /^\/(?:src|code|app|repo|workspace|scan|tf|path|target|data|source)\//,
];

/** The path as a user of the repository knows it: with slashes, decoded from `file:` addresses, relative to the root of the repository. */
export function repositoryFile(
  path: string,
  { root, artifact }: { root?: string | undefined; artifact?: string | undefined } = {},
): string {
  const plain = plainPath(path);
  const base = root === undefined ? '' : plainPath(root).replace(/\/?$/, '/');
  if (base.length > 1 && plain.startsWith(base)) return plain.slice(base.length) || plain;
  if (!/^(?:\/|[A-Za-z]:\/)/.test(plain)) return plain.replace(/^(?:\.\/)+/, '') || plain;
  for (const checkout of CHECKOUTS) {
    const found = checkout.exec(plain)?.[0];
    if (found !== undefined && found.length < plain.length) return plain.slice(found.length);
  }
  const name = artifact?.split(/[/\\:]/).at(-1);
  const at = name === undefined || name === '' ? -1 : plain.indexOf(`/${name}/`);
  return at === -1 ? plain : plain.slice(at + (name as string).length + 2) || plain;
}

const plainPath = (path: string): string => (/^file:/i.test(path) ? pathOfUri(path) : path.replace(/\\/g, '/'));

/** The path that an address names: decoded, with slashes only, without `file:`. */
export function pathOfUri(uri: string): string {
  const path = uri
    .replace(/^file:\/{2,4}(?=[A-Za-z]:)/, '')
    .replace(/^file:\/*/, '/')
    .replace(/\\/g, '/');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
