// Package glm fits generalised linear models by objective perturbation: logistic, hinge, Huber, Poisson and multinomial losses; and
// logistic models by mixing second moments.
package glm
