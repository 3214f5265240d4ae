/** Names of images, as container runtimes read them. Mirrors distribution/reference (v2) and the kubelet's parsers. Pure. */

const PATH_COMPONENT = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const DOMAIN_COMPONENT = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const DOMAIN = `${DOMAIN_COMPONENT}(?:\\.${DOMAIN_COMPONENT})*(?::[0-9]+)?`;
const DIGEST = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}';
const REFERENCE = new RegExp(
  `^(?:${DOMAIN}/)?${PATH_COMPONENT}(?:/${PATH_COMPONENT})*(?::\\w[\\w.-]{0,127})?(?:@${DIGEST})?$`,
);
const IDENTIFIER = /^[a-f0-9]{64}$/;
const DEFAULT_DOMAIN = 'docker.io';
const LEGACY_DEFAULT_DOMAIN = 'index.docker.io';

/** What is wrong with the name of an image, in the parser's words; `undefined` when nothing is. */
export function imageNameError(image: string): string | undefined {
  if (IDENTIFIER.test(image)) return `invalid repository name (${image}), cannot specify 64-byte hexadecimal strings`;
  const { domain, remainder } = splitDomain(image);
  const colon = remainder.indexOf(':');
  const path = colon === -1 ? remainder : remainder.slice(0, colon);
  if (path.toLowerCase() !== path) return `invalid reference format: repository name (${path}) must be lowercase`;
  return REFERENCE.test(`${domain}/${remainder}`) ? undefined : 'invalid reference format';
}

/** An image as a runtime names it: with registry, and with a tag unless it has a digest. */
export function fullReference(image: string): string {
  const { domain, remainder } = splitDomain(image);
  const named = `${domain}/${remainder}`;
  if (named.includes('@')) return named;
  return named.slice(named.lastIndexOf('/')).includes(':') ? named : `${named}:latest`;
}

function splitDomain(image: string): { readonly domain: string; readonly remainder: string } {
  const slash = image.indexOf('/');
  const first = slash === -1 ? '' : image.slice(0, slash);
  const isDomain = first.includes('.') || first.includes(':') || first === 'localhost' || first.toLowerCase() !== first;
  const remainder = isDomain ? image.slice(slash + 1) : image;
  if (isDomain && first !== DEFAULT_DOMAIN && first !== LEGACY_DEFAULT_DOMAIN) return { domain: first, remainder };
  return { domain: DEFAULT_DOMAIN, remainder: remainder.includes('/') ? remainder : `library/${remainder}` };
}
