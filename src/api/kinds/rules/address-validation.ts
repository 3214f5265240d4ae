/** IP addresses and ranges as older fields take them (apimachinery util/validation/ip.go, v1.34). */
import { isIP, isIPv4 } from 'node:net';
import { invalid } from '../../errors/field-errors.js';
import type { FieldError } from '../../objects/resource-kind.js';

/** An address outside of the cluster, to which others can send. */
export function validateOutsideAddress(address: string, field: string): FieldError[] {
  if (isIP(address) === 0) {
    return [invalid(field, address, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];
  }
  const why = specialUse(address);
  return why === undefined ? [] : [invalid(field, address, why)];
}

/** An address of any use. */
export function validateAddressForm(address: string, field: string): FieldError[] {
  if (isIP(address) !== 0) return [];
  return [invalid(field, address, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];
}

/** A range of addresses such as `10.9.8.0/24`. */
export function validateRange(range: string, field: string): FieldError[] {
  const [address = '', length = '', ...rest] = range.split('/');
  const longest = isIPv4(address) ? 32 : 128;
  const isGood = isIP(address) !== 0 && /^\d+$/.test(length) && Number(length) <= longest && rest.length === 0;
  return isGood ? [] : [invalid(field, range, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)')];
}

function specialUse(address: string): string | undefined {
  const lower = address.toLowerCase();
  if (address === '0.0.0.0' || address === '::') return `may not be unspecified (${address})`;
  if (address.startsWith('127.') || address === '::1') return 'may not be in the loopback range (127.0.0.0/8, ::1/128)';
  if (address.startsWith('169.254.') || /^fe[89ab]/.test(lower)) {
    return 'may not be in the link-local range (169.254.0.0/16, fe80::/10)';
  }
  if (address.startsWith('224.0.0.') || /^ff[0-9a-f]2:/.test(lower)) {
    return 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)';
  }
  return undefined;
}

/** An address of an interface with the length of its network, such as `10.9.8.7/24`, as it is usually written. */
export function validateInterfaceAddress(text: string, field: string): FieldError[] {
  if (validateRange(text, field).length > 0) {
    return [invalid(field, text, 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)')];
  }
  const [address = '', length = ''] = text.split('/');
  const usual = `${isIPv4(address) ? address : new URL(`http://[${address}]`).hostname.slice(1, -1)}/${Number(length)}`;
  return text === usual ? [] : [invalid(field, text, `must be in canonical form (${JSON.stringify(usual)})`)];
}
