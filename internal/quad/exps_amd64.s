//go:build !purego && !amd64.v3

#include "textflag.h"

// Constants in vectors of four.
#define four(name, value) \
	DATA name<>+0(SB)/8, value \
	DATA name<>+8(SB)/8, value \
	DATA name<>+16(SB)/8, value \
	DATA name<>+24(SB)/8, value \
	GLOBL name<>(SB), RODATA|NOPTR, $32

four(most, $700.0)
four(sign, $0x8000000000000000)
four(log2e, $1.4426950408889634073599246810018920)
four(exp2u, $0.69314718055966295651160180568695068359375)
four(exp2l, $0.28235290563031577122588448175013436025525412068e-12)
four(sixteenth, $0.0625)
four(half, $0.5)
four(one, $1.0)
four(two, $2.0)
four(three, $3.0)
four(six, $6.0)
four(t3, $1.6666666666666666667e-1)
four(t4, $4.1666666666666666667e-2)
four(t5, $8.3333333333333333333e-3)
four(t6, $1.3888888888888888889e-3)
four(t7, $1.9841269841269841270e-4)
four(t8, $2.4801587301587301587e-5)
four(bias, $0x3ff)
four(lowest, $-38.0)
four(highest, $0xbc90000000000000)
four(halfLn2, $0xbfd62e42fefa39ef)
four(ln2Half3, $0xbff0a2b23f3bab73)
four(minus, $-1.0)
four(invLn2, $0x3ff71547652b82fe)
four(ln2Hi, $0x3fe62e42fee00000)
four(ln2Lo, $0x3dea39ef35793c76)
four(q1, $0xbfa11111111110f4)
four(q2, $0x3f5a01a019fe5585)
four(q3, $0xbf14ce199eaadbb7)
four(q4, $0x3ed0cfca86e65239)
four(q5, $0xbe8afdb76e09c32d)

// func expVectors(x []float64) (done int)
//
// The operations of math.archExp with FMA, in its order: x − k ln 2 by parts, a sixteenth of it in a Taylor series for e^x − 1, which is
// squared four times as (y+2)y.
TEXT ·expVectors(SB), NOSPLIT, $0-32
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	XORQ AX, AX
	VMOVUPD most<>(SB), Y15
	VMOVUPD sign<>(SB), Y14
	SUBQ $4, CX
expNext:
	CMPQ AX, CX
	JGT  expEnd
	VMOVUPD (SI)(AX*8), Y0
	VANDNPD Y0, Y14, Y1
	VCMPPD $0x1e, Y15, Y1, Y1 // greater than 700: a NaN is not
	VCMPPD $0x03, Y0, Y0, Y2  // unordered
	VORPD Y1, Y2, Y1
	VMOVMSKPD Y1, DX
	TESTL DX, DX
	JNZ  expEnd
	VMULPD log2e<>(SB), Y0, Y1
	VCVTPD2DQY Y1, X3
	VCVTDQ2PD X3, Y1
	VMOVUPD exp2u<>(SB), Y2
	VFNMADD231PD Y2, Y1, Y0
	VMOVUPD exp2l<>(SB), Y2
	VFNMADD231PD Y2, Y1, Y0
	VMULPD sixteenth<>(SB), Y0, Y0
	VMOVUPD t8<>(SB), Y1
	VFMADD213PD t7<>(SB), Y0, Y1
	VFMADD213PD t6<>(SB), Y0, Y1
	VFMADD213PD t5<>(SB), Y0, Y1
	VFMADD213PD t4<>(SB), Y0, Y1
	VFMADD213PD t3<>(SB), Y0, Y1
	VFMADD213PD half<>(SB), Y0, Y1
	VFMADD213PD one<>(SB), Y0, Y1
	VMULPD Y1, Y0, Y0
	VADDPD two<>(SB), Y0, Y1
	VMULPD Y1, Y0, Y0
	VADDPD two<>(SB), Y0, Y1
	VMULPD Y1, Y0, Y0
	VADDPD two<>(SB), Y0, Y1
	VMULPD Y1, Y0, Y0
	VADDPD two<>(SB), Y0, Y1
	VFMADD213PD one<>(SB), Y1, Y0
	VPMOVSXDQ X3, Y3
	VPADDQ bias<>(SB), Y3, Y3
	VPSLLQ $52, Y3, Y3
	VMULPD Y3, Y0, Y0
	VMOVUPD Y0, (SI)(AX*8)
	ADDQ $4, AX
	JMP  expNext
expEnd:
	MOVQ AX, done+24(FP)
	VZEROUPPER
	RET

// func expm1Vectors(x []float64) (done int)
//
// The operations of math.expm1 in its order, for x < 0, with what it does where k is 0, −1 or less side by side.
TEXT ·expm1Vectors(SB), NOSPLIT, $0-32
	MOVQ x_base+0(FP), SI
	MOVQ x_len+8(FP), CX
	XORQ AX, AX
	VMOVUPD half<>(SB), Y15
	VMOVUPD one<>(SB), Y14
	VMOVUPD minus<>(SB), Y13
	SUBQ $4, CX

expm1Next:
	CMPQ AX, CX
	JGT  expm1End
	VMOVUPD (SI)(AX*8), Y0
	VCMPPD $0x1d, lowest<>(SB), Y0, Y1  // at least; a NaN is not
	VCMPPD $0x12, highest<>(SB), Y0, Y2 // at most
	VANDPD Y1, Y2, Y1
	VMOVMSKPD Y1, DX
	CMPL DX, $15
	JNE  expm1End

	// k in X3, as a number in Y4
	VMULPD invLn2<>(SB), Y0, Y1
	VSUBPD Y15, Y1, Y1
	VCVTTPD2DQY Y1, X3
	VCVTDQ2PD X3, Y4
	VCMPPD $0x1e, ln2Half3<>(SB), Y0, Y1
	VBLENDVPD Y1, Y13, Y4, Y4
	VCMPPD $0x1d, halfLn2<>(SB), Y0, Y5 // k is 0
	VANDNPD Y4, Y5, Y4

	// x in Y0 and c in Y2
	VMULPD ln2Hi<>(SB), Y4, Y1
	VSUBPD Y1, Y0, Y1
	VMULPD ln2Lo<>(SB), Y4, Y2
	VSUBPD Y2, Y1, Y0
	VSUBPD Y0, Y1, Y1
	VSUBPD Y2, Y1, Y2

	// hfx in Y1, hxs in Y6, r1 in Y7, t in Y8, e in Y7
	VMULPD Y15, Y0, Y1
	VMULPD Y1, Y0, Y6
	VMULPD q5<>(SB), Y6, Y7
	VADDPD q4<>(SB), Y7, Y7
	VMULPD Y6, Y7, Y7
	VADDPD q3<>(SB), Y7, Y7
	VMULPD Y6, Y7, Y7
	VADDPD q2<>(SB), Y7, Y7
	VMULPD Y6, Y7, Y7
	VADDPD q1<>(SB), Y7, Y7
	VMULPD Y6, Y7, Y7
	VADDPD Y14, Y7, Y7
	VMULPD Y1, Y7, Y8
	VMOVUPD three<>(SB), Y9
	VSUBPD Y8, Y9, Y8
	VSUBPD Y8, Y7, Y7
	VMULPD Y8, Y0, Y8
	VMOVUPD six<>(SB), Y9
	VSUBPD Y8, Y9, Y8
	VDIVPD Y8, Y7, Y7
	VMULPD Y7, Y6, Y7

	// Y9: k is 0
	VMULPD Y7, Y0, Y9
	VSUBPD Y6, Y9, Y9
	VSUBPD Y9, Y0, Y9

	// Y8: −1; Y1: less
	VSUBPD Y2, Y7, Y7
	VMULPD Y7, Y0, Y7
	VSUBPD Y2, Y7, Y7
	VSUBPD Y6, Y7, Y7
	VSUBPD Y7, Y0, Y8
	VMULPD Y15, Y8, Y8
	VSUBPD Y15, Y8, Y8
	VSUBPD Y0, Y7, Y1
	VSUBPD Y1, Y14, Y1
	VPMOVSXDQ X3, Y3
	VPSLLQ $52, Y3, Y3
	VPADDQ Y3, Y1, Y1
	VSUBPD Y14, Y1, Y1
	VCMPPD $0x00, Y13, Y4, Y4
	VBLENDVPD Y4, Y8, Y1, Y1
	VBLENDVPD Y5, Y9, Y1, Y1
	VMOVUPD Y1, (SI)(AX*8)
	ADDQ $4, AX
	JMP  expm1Next

expm1End:
	MOVQ AX, done+24(FP)
	VZEROUPPER
	RET
