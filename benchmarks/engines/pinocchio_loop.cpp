// The suspension in Pinocchio, run through a manoeuvre in one call: loops closed by 3D constraints with Baumgarte's
// stabilization, explicit Runge-Kutta steps.  Called through ctypes by pinocchio_model.py, which compiles it.

#include <array>
#include <limits>
#include <vector>

#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/loop-constrained-aba.hpp>

namespace pin = pinocchio;
using Vector = Eigen::VectorXd;
using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;
using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Constraint = pin::RigidConstraintModel;
using ConstraintData = pin::RigidConstraintData;
template <typename T> using Aligned = std::vector<T, Eigen::aligned_allocator<T>>;

extern "C" {

enum Kind { HINGE, SLIDE, BALL, ROD, MOUNT };

struct Link {  // at design, in ground axes; matrices by columns
  int parent;  // joint number, 0 for the ground
  int kind;
  double point[3], axes[9], mass, com[3], inertia[9], stiffness, damping, rest;
};

struct Cut {
  int parent, child;
  double point[3];
};

struct Rubber {  // a bushing between the ground and a link
  int link;
  double point[3], axes[9], stiffness[36], damping[36];
};
}

namespace {

Vector3 vector(const double* x) { return Eigen::Map<const Vector3>(x); }
Matrix3 matrix(const double* x) { return Eigen::Map<const Matrix3>(x); }

struct Bushing {
  pin::JointIndex joint;
  Vector3 ground, s;  // its point, and from the joint of its link to it
  Matrix3 E;
  Matrix6 K, C;
};

struct Spring {
  int q, v;  // numbers of the coordinate and its rate
  double k, c, rest;
};

class Suspension {
 public:
  pin::Model model;
  pin::Data data;
  pin::JointIndex hub;
  Vector3 wheel;  // in the frame of the hub's joint

  Suspension(const Link* links, int nlinks, const Cut* cuts, int ncuts, const Rubber* rubbers, int nrubbers,
             const double* gravity, int wheel_link, const double* wheel_point, double settling, double mu, int iterations, bool recursive)
      : hub(wheel_link), settings(1e-14, mu, iterations), recursive(recursive) {
    points.push_back(Vector3::Zero());
    model.gravity.linear(vector(gravity));
    for (int i = 0; i < nlinks; ++i) add(links[i], i + 1);
    data = pin::Data(model);
    wheel = vector(wheel_point) - points[hub];
    for (int i = 0; i < ncuts; ++i) close(cuts[i], settling);
    for (int i = 0; i < nrubbers; ++i) add(rubbers[i]);
    for (const auto& c : constraints) constraint_datas.emplace_back(c);
    if (recursive)
      pin::computeJointMinimalOrdering(model, data, constraints);
    else
      pin::initConstraintDynamics(model, data, constraints, constraint_datas);
    tau.setZero(model.nv);
  }

  // Accelerations at q, v under a force at the wheel centre.
  const auto& acceleration(const Vector& q, const Vector& v, const Vector3& force) {
    tau.setZero();
    for (const auto& s : springs) tau[s.v] = -s.k * (q[s.q] - s.rest) - s.c * v[s.v];
    for (const auto& b : bushings) act(b, q, v);
    push(q, force);
    if (recursive) return pin::lcaba(model, data, q, v, tau, constraints, constraint_datas, settings);
    return pin::constraintDynamics(model, data, q, v, tau, constraints, constraint_datas, settings);
  }

  void look(const Vector& q, double* out) {
    pin::forwardKinematics(model, data, q);
    Eigen::Map<Vector3> r(out);
    r = data.oMi[hub].act(wheel);
    Eigen::Map<Matrix3> R(out + 3);
    R = data.oMi[hub].rotation();
  }

 private:
  std::vector<Vector3> points;  // of the joints, at design in ground axes
  Aligned<Constraint> constraints;
  Aligned<ConstraintData> constraint_datas;
  std::vector<Bushing> bushings;
  std::vector<Spring> springs;
  std::vector<pin::JointIndex> path;
  pin::ProximalSettings settings;
  bool recursive;  // lcaba instead of constraintDynamics
  Vector tau;

  static pin::JointModel joint(const Link& link) {
    const Matrix3 a = matrix(link.axes);
    switch (link.kind) {
      case HINGE: return pin::JointModelRevoluteUnaligned(a.col(0));
      case SLIDE: return pin::JointModelPrismaticUnaligned(a.col(0));
      case ROD: return pin::JointModelUniversal(a.col(0), a.col(1));
      case BALL: return pin::JointModelSpherical();
      default: return pin::JointModelFreeFlyer();
    }
  }

  void add(const Link& link, int number) {
    const Vector3 point = vector(link.point);
    const pin::SE3 placement(Matrix3::Identity(), point - points[link.parent]);
    const auto id = model.addJoint(link.parent, joint(link), placement, std::to_string(number));
    model.appendBodyToJoint(id, pin::Inertia(link.mass, vector(link.com) - point, matrix(link.inertia)));
    points.push_back(point);
    if (link.stiffness != 0.0 || link.damping != 0.0)
      springs.push_back({model.joints[id].idx_q(), model.joints[id].idx_v(), link.stiffness, link.damping, link.rest});
  }

  void add(const Rubber& rubber) {
    const Vector3 point = vector(rubber.point);
    bushings.push_back({pin::JointIndex(rubber.link), point - points[rubber.link], point - points[rubber.link],
                        matrix(rubber.axes), Eigen::Map<const Matrix6>(rubber.stiffness),
                        Eigen::Map<const Matrix6>(rubber.damping)});
  }

  void close(const Cut& cut, double settling) {
    const pin::SE3 a(Matrix3::Identity(), vector(cut.point) - points[cut.parent]);
    const pin::SE3 b(Matrix3::Identity(), vector(cut.point) - points[cut.child]);
    Constraint c(pin::CONTACT_3D, model, cut.parent, a, cut.child, b, pin::LOCAL);
    c.baumgarte_corrector_parameters().Kp = 1.0 / (settling * settling);
    c.baumgarte_corrector_parameters().Kd = 2.0 / settling;
    constraints.push_back(c);
  }

  // A bushing on its link: d = E^T (x_C - x_P), theta = E^T log(R), as precompute/reference/bushings.py has it.
  void act(const Bushing& b, const Vector& q, const Vector& v) {
    const int iq = model.joints[b.joint].idx_q(), iv = model.joints[b.joint].idx_v();
    const Matrix3 R = Eigen::Quaterniond(q.segment<4>(iq + 3)).toRotationMatrix();
    const Matrix3 ER = b.E.transpose() * R;
    const Vector3 w = v.segment<3>(iv + 3);
    const Vector3 phi = pin::log3(R);
    Matrix3 L;  // body rate to rate of the rotation vector
    pin::Jlog3(R, L);
    Vector6 x, xd;
    x << b.E.transpose() * (q.segment<3>(iq) + R * b.s - b.ground), b.E.transpose() * phi;
    xd << ER * (v.segment<3>(iv) + w.cross(b.s)), b.E.transpose() * (L * w);
    const Vector6 f = -b.K * x - b.C * xd;
    const Vector3 push = ER.transpose() * f.head<3>();
    tau.segment<3>(iv) += push;
    tau.segment<3>(iv + 3) += b.s.cross(push) + L.transpose() * (b.E * f.tail<3>());
  }

  // The force at the wheel centre as joint forces, down the path from the hub to the ground.
  void push(const Vector& q, const Vector3& force) {
    if (path.empty())
      for (auto j = hub; j > 0; j = model.parents[j]) path.insert(path.begin(), j);
    for (const auto j : path) {
      model.joints[j].calc(data.joints[j], q);
      data.liMi[j] = model.jointPlacements[j] * data.joints[j].M();
      data.oMi[j] = model.parents[j] > 0 ? data.oMi[model.parents[j]] * data.liMi[j] : data.liMi[j];
    }
    const Vector3 local = data.oMi[hub].rotation().transpose() * force;
    pin::Force f(local, wheel.cross(local));
    for (auto j = hub; j > 0; j = model.parents[j]) {
      model.joints[j].jointVelocitySelector(tau) +=
          data.joints[j].S().matrix().transpose() * f.toVector();
      f = data.liMi[j].act(f);
    }
  }
};

struct Method {  // explicit Runge-Kutta with one coefficient per stage
  int stages;
  double a[4], b[4];
};

constexpr Method METHODS[] = {
    {4, {0.0, 0.5, 0.5, 1.0}, {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0}},  // RK4
    {2, {0.0, 0.5, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}},                          // midpoint
    {1, {0.0, 0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}},                          // semi-implicit Euler
};

void step(Suspension& s, const Method& m, Vector& q, Vector& v, const Vector3& force, double h,
          std::array<Vector, 6>& work) {
  auto& [a, u, dq, dv, p, sum] = work;
  dq.setZero();
  dv.setZero();
  for (int i = 0; i < m.stages; ++i) {
    if (i == 0) {
      u = v;
      p = q;
    } else {
      sum.noalias() = (m.a[i] * h) * u;
      u.noalias() = v + (m.a[i] * h) * a;
      pin::integrate(s.model, q, sum, p);
    }
    a = s.acceleration(p, u, force);
    dq += (m.b[i] * h) * u;
    dv += (m.b[i] * h) * a;
  }
  v += dv;
  if (m.stages == 1) dq = h * v;
  pin::integrate(s.model, Vector(q), dq, q);
}
}  // namespace

extern "C" {

void* create(const Link* links, int nlinks, const Cut* cuts, int ncuts, const Rubber* rubbers, int nrubbers,
             const double* gravity, int wheel_link, const double* wheel_point, double settling, double mu,
             int iterations, int recursive) {
  return new Suspension(links, nlinks, cuts, ncuts, rubbers, nrubbers, gravity, wheel_link, wheel_point, settling, mu,
                        iterations, recursive != 0);
}

void destroy(void* handle) { delete static_cast<Suspension*>(handle); }

int size(void* handle) { return static_cast<Suspension*>(handle)->model.nq; }

// Runs nsteps from rest at q0.  If out is given, it gets the wheel's position and R (12 numbers, R by columns) at the
// start and after every `every` steps.
void run(void* handle, int method, const double* q0, const double* forces, int nsteps, double h, int every,
         double* out) {
  Suspension& s = *static_cast<Suspension*>(handle);
  Vector q = Eigen::Map<const Vector>(q0, s.model.nq), v = Vector::Zero(s.model.nv);
  std::array<Vector, 6> work;
  for (auto& x : work) x.setZero(s.model.nv);
  work[4] = q;
  if (out) s.look(q, out);
  for (int k = 0; k < nsteps; ++k) {
    step(s, METHODS[method], q, v, vector(forces + 3 * k), h, work);
    if (out && (k + 1) % every == 0) s.look(q, out += 12);
  }
}
}
