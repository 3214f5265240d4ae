/** Service accounts (pkg/registry/core/serviceaccount, v1.34). */
import { describeKind } from '../rules/describe-kind.js';

/** The description of service accounts. */
export const serviceAccountKind = describeKind<'ServiceAccount'>({
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  shortNames: ['sa'],
  deleteReturnsObject: true,
});
