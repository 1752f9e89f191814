/** What a container image is called, as far as its name says. */
export interface ImageName {
  registry: string | null;
  repository: string | null;
  tag: string | null;
  digest: string | null;
}

const NOTHING: ImageName = { registry: null, repository: null, tag: null, digest: null };
const COMPONENT = '[a-z0-9]+(?:(?:\\.|_{1,2}|-+)[a-z0-9]+)*';
const NAME = new RegExp(`^(${COMPONENT}(?:/${COMPONENT})*)(?::(\\w[\\w.-]{0,127}))?(?:@([a-z0-9]+:[0-9a-f]{32,128}))?$`);
const HOST = /^(?:localhost|[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+|[A-Za-z0-9.-]+(?=:))(?::\d+)?$/;
const ECR = /^arn:(aws[a-z-]*):ecr:([a-z0-9-]+):(\d{12}):repository\/(.+)\/(sha256:[0-9a-f]{64})$/;
/** Longer than any name that a registry takes. */
const LONGEST = 600;

/**
 * Reads the name of an image as people and scanners write it: `nginx`, `ghcr.io/shop/cart:1.4@sha256:...`, or the ARN of an image in ECR.
 * Without a registry it is Docker Hub's, without tag and digest `latest` (Docker's image references).
 * @returns every part null where the text is no such name: the id of an image, a file
 */
export function readImageName(text: string): ImageName {
  if (text.length > LONGEST) return NOTHING;
  const [, partition, region, account, ecrRepository, ecrDigest] = ECR.exec(text) ?? [];
  if (ecrDigest !== undefined) {
    const registry = `${account}.dkr.ecr.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}`;
    return { registry, repository: ecrRepository!, tag: null, digest: ecrDigest };
  }
  const slash = text.indexOf('/');
  const host = slash > 0 && HOST.test(text.slice(0, slash)) ? text.slice(0, slash) : undefined;
  const [, path, tag, digest] = NAME.exec(host === undefined ? text : text.slice(slash + 1)) ?? [];
  if (path === undefined || isNoName(text)) return NOTHING;
  const registry = host === undefined || host === 'index.docker.io' ? 'docker.io' : host.toLowerCase();
  return {
    registry,
    repository: registry === 'docker.io' && !path.includes('/') ? `library/${path}` : path,
    tag: tag ?? (digest === undefined ? 'latest' : null),
    digest: digest ?? null,
  };
}

/** The bare id of an image and an archive have the form of a name. */
const isNoName = (text: string): boolean => /^(?:sha256:)?[0-9a-f]{64}$/.test(text) || /\.(?:tar|tgz|tar\.gz)$/.test(text);
