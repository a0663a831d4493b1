/** Lists of kernels that others have, each with ours for it. */
package tilewright.verification.rows;
