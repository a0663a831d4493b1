/**
 * Golden vectors: records of what CuTe C++, pycute, NVIDIA's runtime engine and tract answer, judged by the
 * definitions. Every record ends as agreed, refused, dialect or mismatch; none is left out.
 */
package tilewright.verification.golden;
