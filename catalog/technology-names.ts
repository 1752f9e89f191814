/** A product by its one name, and the number of its version as far as a text tells it. */
export interface ProductVersion {
  product: string;
  version?: string | undefined;
}

/**
 * How the names of runtimes begin, in lower case and without signs, and how many digits before the first dot the makers' numbers have: providers write
 * `python312` and `python3.12` for one version.
 */
const RUNTIMES: readonly (readonly [RegExp, string, dotted: boolean])[] = [
  [/airflow/, 'airflow', false],
  [/python/, 'python', true],
  [/node/, 'nodejs', false],
  [/dotnet|net ?core|asp\.?net|powershell/, 'dotnet', false],
  [/java(?!script)|tomcat|openjdk|jdk/, 'java', false],
  [/ruby/, 'ruby', true],
  [/php/, 'php', true],
  [/\bgo(?:lang)?[\d._ -]/, 'go', true],
];

/** The first number of a text with its dots, where a number of two and more digits stands for a major and a minor one. */
function numberOf(text: string, dotted: boolean): string | undefined {
  const number = /\d+(?:[._]\d+)*/.exec(text)?.[0].replaceAll('_', '.');
  if (number === undefined || !dotted || number.includes('.') || number.length === 1) return number;
  return `${number[0]}.${number.slice(1)}`;
}

/** The language or platform of a runtime as providers name it: `nodejs22.x`, `PYTHON|3.11`, `python312`, `.NET 8.0`; undefined for others. */
export function readRuntime(text: string): ProductVersion | undefined {
  const name = text.toLowerCase();
  for (const [pattern, product, dotted] of RUNTIMES) {
    const at = name.search(pattern);
    if (at !== -1) return { product, version: numberOf(name.slice(at), dotted) };
  }
  return undefined;
}

/** What the names of machine images have in them; the number of the version stands behind it. */
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/ubuntu/g, 'ubuntu'],
  [/debian/g, 'debian'],
  [/amazon[-_ ]?linux|amzn|\bal(?=2)/g, 'amazon_linux'],
  [/centos/g, 'centos'],
  [/rhel|red ?hat/g, 'rhel'],
  [/rocky/g, 'rocky_linux'],
  [/alma/g, 'almalinux'],
  [/sles|suse/g, 'sles'],
  [/oracle[-_ ]?linux|\bol(?=\d)/g, 'oracle_linux'],
  [/windows(?:[-_ ]?server)?/g, 'windows_server'],
  [/bottlerocket/g, 'bottlerocket'],
  [/\bcos\b|cos_containerd|container-optimized/g, 'container_optimized_os'],
  [/azure ?linux|mariner/g, 'azure_linux'],
  [/aliyun(?:[-_ ]?linux)?|alibaba[-_ ]?cloud[-_ ]?linux/g, 'alibaba_cloud_linux'],
];

/** Ubuntu's names of its releases. */
const RELEASES: Readonly<Record<string, string>> = { noble: '24.04', jammy: '22.04', focal: '20.04', bionic: '18.04', xenial: '16.04' };

/** Ubuntu's versions are a year and a month, which providers write with a dot, a sign or none; without a month April is meant. */
function ubuntuVersion(rest: string): string | undefined {
  const release = Object.keys(RELEASES).find((one) => rest.includes(one));
  if (release !== undefined) return RELEASES[release];
  const [, year, month = '04'] = /(\d\d)(?:[._-]?(04|10))?/.exec(rest) ?? [];
  return year && `${year}.${month}`;
}

/** The operating system of a machine image by its name: `debian-cloud/debian-12`, `Canonical:ubuntu-24_04-lts:server`, `UBUNTU_24_64`; undefined for others. */
export function readOperatingSystem(text: string): ProductVersion | undefined {
  const name = text.toLowerCase();
  for (const [pattern, product] of SYSTEMS) {
    const found = [...name.matchAll(pattern)].at(-1);
    if (!found) continue;
    const rest = name.slice(found.index + found[0].length);
    return { product, version: product === 'ubuntu' ? ubuntuVersion(rest) : /\d+/.exec(rest)?.[0] };
  }
  return undefined;
}

/** What an image is of, and its version, by its name: `docker.io/bitnami/postgresql:13.4` is of postgresql 13.4. A digest is no version. */
export function readImageProduct(image: string): ProductVersion | undefined {
  const [name = '', tag] = (image.split('@')[0]!.split('/').at(-1) ?? '').split(':');
  return name === '' ? undefined : { product: name.toLowerCase(), version: tag && /^v?(\d+(?:\.\d+)*)/.exec(tag)?.[1] };
}
