/**
 * ServiceAccount (plugin/pkg/admission/serviceaccount, v1.34): the account that a pod acts as, with the volume of its
 * token. Tokens are not made, and an account's limit on the secrets of its pods is not applied.
 */
import { DEFAULT_SERVICE_ACCOUNT, ROOT_CA_CONFIG_MAP } from '../../api/objects/cluster-objects.js';
import type { ServiceAccount } from '../../api/objects/config-objects.js';
import type { Filling } from '../../api/kinds/rules/filling.js';
import { mapShared } from '../../api/kinds/rules/filling.js';
import type { Container, core, Pod, PodSpec } from '../../api/objects/objects.js';
import { forbidden, type ResourceNames } from '../store/api-errors.js';
import type { Shelf } from '../store/store.js';

/** Marks the mirror of a static pod, which has no account. */
const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';
const TOKEN_VOLUME = 'kube-api-access-';
const TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
/** An hour, and a little more, by which such volumes are known. */
const TOKEN_SECONDS = 3607;
const ROOT_CA_KEY = 'ca.crt';
const TOKEN_SOURCES: core.ProjectedVolumeSource = Object.freeze({
  sources: [
    { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
    { configMap: { name: ROOT_CA_CONFIG_MAP, items: [{ key: ROOT_CA_KEY, path: ROOT_CA_KEY }] } },
    {
      downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] },
    },
  ],
  defaultMode: 0o644,
});
/** How long a request waits for the account that a controller is to make: nine times 100 to 200 ms. */
const GRACE_MS = 2000;

/** What is known of a pod's account. */
export type PodAccount = Pick<ServiceAccount, 'automountServiceAccountToken' | 'imagePullSecrets'>;

/** The account of a new namespace: the request would wait until it is there. */
const ACCOUNT_TO_COME: PodAccount = Object.freeze({});
/** An account of which the pod takes nothing but its name. */
const NAME_ONLY: PodAccount = Object.freeze({});
const NO_ACCOUNT: PodAccount = Object.freeze({});

/** Where the accounts of pods are found, and how strictly they are checked. */
export interface Accounts {
  readonly accounts: Shelf<'ServiceAccount'>;
  /** How long a namespace has been there, ms. */
  readonly namespaceAgeMs: (name: string) => number;
  /** Whether every account must exist, and pods get a volume for its token. */
  readonly isStrict: boolean;
}

/** The account of a new pod; a pod can act only as one that exists. @throws ApiError 403 */
export function accountOf(
  { metadata, spec }: Pod,
  podName: string,
  pods: ResourceNames,
  { accounts, namespaceAgeMs, isStrict }: Accounts,
): PodAccount {
  const name = accountName(spec);
  if (metadata.annotations?.[MIRROR_ANNOTATION] !== undefined) return NO_ACCOUNT;
  const { namespace = '' } = metadata;
  const isDefault = name === DEFAULT_SERVICE_ACCOUNT;
  if (isDefault && !isStrict) return NAME_ONLY;
  const found = accounts.table.get(namespace, name);
  if (found !== undefined) return isStrict ? found : NAME_ONLY;
  if (isDefault && namespaceAgeMs(namespace) < GRACE_MS) return ACCOUNT_TO_COME;
  const lookUp = `error looking up service account ${namespace}/${name}`;
  throw forbidden(pods, podName, `${lookUp}: serviceaccount "${name}" not found`);
}

/** A volume for a token, and how containers mount it. */
interface TokenVolume {
  readonly volume: core.Volume;
  readonly mount: core.VolumeMount;
  /** The volume alone, as pods have it that bring none. */
  readonly alone: core.Volume[];
}

/** The volumes for tokens: the pods of an account share one object, with the name that was drawn for it. */
export class TokenVolumes {
  readonly #drawSuffix: () => string;
  readonly #byAccount = new WeakMap<PodAccount, TokenVolume>();

  constructor(drawSuffix: () => string) {
    this.#drawSuffix = drawSuffix;
  }

  of(account: PodAccount): TokenVolume {
    let found = this.#byAccount.get(account);
    if (found === undefined) {
      found = tokenVolume(TOKEN_VOLUME + this.#drawSuffix());
      this.#byAccount.set(account, found);
    }
    return found;
  }
}

function tokenVolume(name: string): TokenVolume {
  const volume = Object.freeze({ name, projected: TOKEN_SOURCES });
  const alone = [volume];
  Object.freeze(alone);
  return { volume, mount: tokenMount(name), alone };
}

function tokenMount(name: string): core.VolumeMount {
  return Object.freeze({ name, readOnly: true, mountPath: TOKEN_PATH });
}

/** Puts the account into the spec of a new pod, with its volume and its secrets for pulls. */
export function setServiceAccount(spec: Filling<PodSpec>, account: PodAccount, volumes: TokenVolumes): void {
  if (account === NO_ACCOUNT) return;
  const { serviceAccountName, serviceAccount, automountServiceAccountToken, imagePullSecrets: own = [] } = spec.object;
  const name = accountName(spec.object);
  if (serviceAccountName !== name || serviceAccount !== name) {
    spec.set('serviceAccountName', name).set('serviceAccount', name);
  }
  if (account === NAME_ONLY) return;
  const { automountServiceAccountToken: isMounted = true, imagePullSecrets = [] } = account;
  if (automountServiceAccountToken ?? isMounted) mountToken(spec, volumes.of(account));
  if (own.length === 0 && imagePullSecrets.length > 0) {
    spec.set(
      'imagePullSecrets',
      imagePullSecrets.map((each) => ({ name: each.name ?? '' })),
    );
  }
}

function accountName({ serviceAccountName, serviceAccount }: PodSpec): string {
  return serviceAccountName || serviceAccount || DEFAULT_SERVICE_ACCOUNT;
}

function mountToken(spec: Filling<PodSpec>, token: TokenVolume): void {
  const { volumes = [], containers, initContainers } = spec.object;
  if (![...(initContainers ?? []), ...containers].some(needsToken)) return;
  const present = volumes.find(({ name }) => name.startsWith(TOKEN_VOLUME));
  const mount = present === undefined ? token.mount : tokenMount(present.name);
  const mounted = (container: Container): Container =>
    needsToken(container) ? { ...container, volumeMounts: [...(container.volumeMounts ?? []), mount] } : container;
  spec.set('containers', mapShared(containers, mounted));
  if (initContainers !== undefined) spec.set('initContainers', mapShared(initContainers, mounted));
  if (present === undefined) spec.set('volumes', volumes.length === 0 ? token.alone : [...volumes, token.volume]);
}

/** What a container mounts at the token's place itself stays. */
function needsToken({ volumeMounts = [] }: Container): boolean {
  return !volumeMounts.some(({ mountPath }) => mountPath === TOKEN_PATH);
}
