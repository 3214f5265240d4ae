/** Service accounts (pkg/registry/core/serviceaccount, v1.34). */
import type { KindMap } from '../../objects/objects.js';
import { describeKind } from '../rules/describe-kind.js';

/** The description of service accounts. */
export const serviceAccountKind = describeKind<'ServiceAccount'>({
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  shortNames: ['sa'],
  deleteReturnsObject: true,
  prepareForCreate: withNamedSecrets,
  prepareForUpdate: withNamedSecrets,
});

type ServiceAccount = KindMap['ServiceAccount'];

/** Of its secrets an account keeps the names alone. */
function withNamedSecrets(account: ServiceAccount): ServiceAccount {
  const { secrets } = account;
  if (secrets === undefined || secrets.every((secret) => Object.keys(secret).every((field) => field === 'name')))
    return account;
  return { ...account, secrets: secrets.map(({ name }) => (name === undefined ? {} : { name })) };
}
